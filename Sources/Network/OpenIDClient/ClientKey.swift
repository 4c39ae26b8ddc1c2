import Moments
public import OAuth
public import Tokens

/// A private key by which we prove at a token endpoint who we are (`private_key_jwt`: RFC 7523 §2.2, §3).
public struct ClientKey: Hashable, Sendable {
    /// The life of a statement, in seconds.
    static let life: Int64 = 120
    /// `client_assertion_type` (RFC 7523 §2.2).
    static let assertionType = "urn:ietf:params:oauth:client-assertion-type:jwt-bearer"

    private let key: SigningKey
    private let audience: AssertionAudience

    /// A key, and the name by which the authority wants to be addressed.
    public init(_ key: SigningKey, audience: AssertionAudience = .issuer) {
        self.key = key
        self.audience = audience
    }

    /// Signs a statement of who we are, which is good once.
    func assertion(of client: String, _ metadata: ProviderMetadata, at now: Moment) throws(ProviderError) -> Secret {
        let place =
            switch audience {
            case .issuer: metadata.issuer
            case .tokenEndpoint: metadata.token
            }
        let claims: [String: JSONValue] = [
            "iss": .string(client), "sub": .string(client), "aud": .string(place),
            "jti": .string(CorrelationID.random().description), "iat": .int(now.seconds),
            "exp": .int(now.seconds + Self.life),
        ]
        do {
            return try TokenMinter.mint(typ: .jwt, claims: claims, with: key)
        } catch {
            throw ProviderError(.unavailable, "no statement for \(metadata.issuer) could be signed: \(error)")
        }
    }

    /// Compares the public keys and the audiences.
    public static func == (a: Self, b: Self) -> Bool {
        a.key.publicKey == b.key.publicKey && a.audience == b.audience
    }

    /// Hashes the key's id and the audience.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(key.kid)
        hasher.combine(audience)
    }
}
