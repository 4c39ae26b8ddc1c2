import Crypto
public import Foundation
public import OAuth

/// A private key, bound to one algorithm and identified by its public key.
public struct SigningKey: Sendable, CustomStringConvertible, CustomReflectable {
    /// The algorithm.
    public let alg: SigningAlgorithm
    /// The public key, with the same id.
    public let publicKey: VerificationKey
    private let material: Material
    /// The encoded header of each kind of token that it signs, with the dot.
    private let headers: [TokenType: [UInt8]]

    private enum Material: Sendable {
        case p256(P256.Signing.PrivateKey)
        case ed25519(Curve25519.Signing.PrivateKey)
        case rsa(RSAKey)
    }

    /// The key id in tokens: the thumbprint of the public key (RFC 7638), unless it was ``named(_:)``.
    public var kid: String { publicKey.kid }

    /// Generates a key; one for RS256 has 2048 bits and takes a noticeable part of a second.
    public static func generate(_ alg: SigningAlgorithm) throws(TokenError) -> SigningKey {
        switch alg {
        case .es256: SigningKey(.p256(P256.Signing.PrivateKey()))
        case .eddsa: SigningKey(.ed25519(Curve25519.Signing.PrivateKey()))
        case .rs256: SigningKey(.rsa(try RSAKey.generate()))
        }
    }

    /// Reads a key that ``serialized`` wrote.
    ///
    /// - Parameters:
    ///   - serialized: The key's bytes.
    ///   - alg: Its algorithm.
    ///   - kid: The id that it was stored with; nil if none was stored.
    /// - Throws: `unusableKey` if the bytes are not a key of that algorithm, or not the key with that id.
    public init(serialized: Secret, alg: SigningAlgorithm, kid: String? = nil) throws(TokenError) {
        let bytes = serialized.revealBytes()
        let material: Material?
        switch alg {
        case .es256: material = (try? P256.Signing.PrivateKey(rawRepresentation: bytes)).map { .p256($0) }
        case .eddsa: material = (try? Curve25519.Signing.PrivateKey(rawRepresentation: bytes)).map { .ed25519($0) }
        case .rs256: material = .rsa(try RSAKey.privateKey(Array(bytes)))
        }
        guard let material else { throw TokenError(.unusableKey, "the \(alg.rawValue) key is damaged") }
        self.init(material)
        guard kid == nil || kid == self.kid else { throw TokenError(.unusableKey, "the key has another name") }
    }

    /// Returns the same key under another id than its thumbprint, by which somebody else knows it.
    public func named(_ kid: String) -> SigningKey { SigningKey(material, kid: kid) }

    private init(_ material: Material, kid: String? = nil) {
        self.material = material
        switch material {
        case .p256(let key): publicKey = VerificationKey(alg: .es256, kid: kid, material: .p256(key.publicKey))
        case .ed25519(let key): publicKey = VerificationKey(alg: .eddsa, kid: kid, material: .ed25519(key.publicKey))
        case .rsa(let key): publicKey = VerificationKey(alg: .rs256, kid: kid, material: .rsa(key))
        }
        alg = publicKey.alg
        headers = Self.headers(alg: alg, kid: publicKey.kid)
    }

    /// The key's bytes, for a sealed row: the scalar or seed, for RSA the DER of RFC 8017 appendix A.1.2.
    public var serialized: Secret {
        get throws(TokenError) {
            switch material {
            case .p256(let key): Secret(bytes: key.rawRepresentation)
            case .ed25519(let key): Secret(bytes: key.rawRepresentation)
            case .rsa(let key): Secret(bytes: try key.serialized())
            }
        }
    }

    /// Signs `bytes` in the form of JWS (RFC 7518 §3.3, §3.4, RFC 8037 §3.1).
    public func sign(_ bytes: some Collection<UInt8>) throws(TokenError) -> Data {
        try sign(Array(bytes))
    }

    func sign(_ bytes: [UInt8]) throws(TokenError) -> Data {
        do {
            switch material {
            case .p256(let key): return try key.signature(for: bytes).rawRepresentation
            case .ed25519(let key): return try key.signature(for: bytes)
            case .rsa(let key): return try key.sign(bytes)
            }
        } catch let error as TokenError {
            throw error
        } catch {
            throw TokenError(.cryptoFailed, "\(alg.rawValue) signing failed")
        }
    }

    /// Returns the encoded header of a token of that kind, with the dot.
    func header(_ type: TokenType) -> [UInt8] { headers[type] ?? [] }

    private static func headers(alg: SigningAlgorithm, kid: String) -> [TokenType: [UInt8]] {
        var headers: [TokenType: [UInt8]] = [:]
        for type in TokenType.allCases {
            let header: JSONValue = [
                "alg": .string(alg.rawValue), "kid": .string(kid), "typ": .string(type.rawValue),
            ]
            var text: [UInt8] = []
            Base64URL.append(header.bytes, to: &text)
            headers[type] = text + [UInt8(ascii: ".")]
        }
        return headers
    }

    /// The algorithm and the key id, and nothing of the key.
    public var description: String { "\(alg.rawValue) key \(kid)" }

    /// Shows nothing to `dump`.
    public var customMirror: Mirror { Mirror(self, children: []) }
}
