import Foundation
import Moments
public import OAuth
public import Tokens

/// The credentials with which the client authenticates at a token endpoint (RFC 6749 §2.3.1, RFC 7523 §2.2).
struct ClientProofAtProvider {
    let form: [(name: String, value: String)]
    /// The value of the `Authorization` header, or `nil` if the form identifies the client.
    let authorization: Secret?

    /// Creates credentials from the configured private key, or from the client secret if there is no key.
    init(
        _ registration: ProviderRegistration,
        _ metadata: ProviderMetadata,
        at now: Moment
    ) throws(ProviderError) {
        guard let key = registration.key else {
            self.init(registration, offered: metadata.authentication)
            return
        }
        let statement = try key.assertion(of: registration.clientID, metadata, at: now)
        self.init(
            form: [
                ("client_id", registration.clientID), ("client_assertion_type", ClientKey.assertionType),
                ("client_assertion", statement.reveal()),
            ],
            authorization: nil
        )
    }

    /// Creates credentials from the client secret, or only from the client id if there is no secret.
    ///
    /// The secret is sent by `method`, or else by the registration's method, or else by a method in `offered`.
    init(
        _ registration: ProviderRegistration,
        as method: ClientSecretMethod? = nil,
        offered: [String]
    ) {
        let id = (name: "client_id", value: registration.clientID)
        guard let secret = registration.secret else {
            self.init(form: [id], authorization: nil)
            return
        }
        // `client_secret_basic` is the default if the metadata lists no methods (OpenID Connect Discovery §3).
        let offersPostOnly = !offered.isEmpty && !offered.contains("client_secret_basic")
        switch method ?? registration.authentication ?? (offersPostOnly ? .post : .basic) {
        case .none: self.init(form: [id], authorization: nil)
        case .post: self.init(form: [id, ("client_secret", secret.reveal())], authorization: nil)
        case .basic:
            let pair = [registration.clientID, secret.reveal()].map(Self.encoded).joined(separator: ":")
            self.init(form: [], authorization: Secret("Basic " + Data(pair.utf8).base64EncodedString()))
        }
    }

    private init(form: [(name: String, value: String)], authorization: Secret?) {
        self.form = form
        self.authorization = authorization
    }

    private static func encoded(_ text: String) -> String { String(Form.encoded([("", text)]).dropFirst()) }
}

/// A private key that authenticates the client at a token endpoint (`private_key_jwt`, RFC 7523 §2.2 and §3).
public struct ClientKey: Hashable, Sendable {
    /// The lifetime of an assertion, in seconds.
    static let life: Int64 = 120
    /// The value of `client_assertion_type` (RFC 7523 §2.2).
    static let assertionType = "urn:ietf:params:oauth:client-assertion-type:jwt-bearer"

    private let key: SigningKey
    private let audience: AssertionAudience

    /// Creates a client key for assertions with the audience that the authority expects.
    public init(_ key: SigningKey, audience: AssertionAudience = .issuer) {
        self.key = key
        self.audience = audience
    }

    /// Signs a new client assertion, which must be used only once.
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
            throw ProviderError(.unavailable, "the client assertion for \(metadata.issuer) cannot be signed: \(error)")
        }
    }

    /// Whether the public keys and the audiences are equal.
    public static func == (a: Self, b: Self) -> Bool {
        a.key.publicKey == b.key.publicKey && a.audience == b.audience
    }

    /// Hashes the key's id and the audience.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(key.kid)
        hasher.combine(audience)
    }
}
