import Crypto
public import Foundation
public import OAuth

/// A private key that is bound to one algorithm and identified by its public key.
public struct SigningKey: Sendable, CustomStringConvertible, CustomReflectable {
    /// The only algorithm that the key is used with.
    public let alg: SigningAlgorithm
    /// The public key, which has the same key id as this key.
    public let publicKey: VerificationKey
    private let material: Material
    /// The encoded JWS header for each token type, including the dot that follows the header.
    private let headers: [TokenType: [UInt8]]

    private enum Material: Sendable {
        case p256(P256.Signing.PrivateKey)
        case ed25519(Curve25519.Signing.PrivateKey)
        case rsa(RSAKey)
    }

    /// The key id in tokens, which is the thumbprint (RFC 7638) unless ``named(_:)`` assigned another id.
    public var kid: String { publicKey.kid }

    /// Generates a key for `alg`, which takes a noticeable fraction of a second for RS256.
    public static func generate(_ alg: SigningAlgorithm) throws(TokenError) -> SigningKey {
        switch alg {
        case .es256: SigningKey(.p256(P256.Signing.PrivateKey()))
        case .eddsa: SigningKey(.ed25519(Curve25519.Signing.PrivateKey()))
        case .rs256: SigningKey(.rsa(try RSAKey.generate()))
        }
    }

    /// Creates a key from the bytes that ``serialized`` returned.
    ///
    /// - Throws: `unusableKey` if the bytes are not a key for `alg`, or if `kid` is given but is not the key's id.
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
        guard kid == nil || kid == self.kid else { throw TokenError(.unusableKey, "the key has a different id") }
    }

    /// Returns a copy of the key with an id that another party has assigned.
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

    /// The private key as bytes, which the caller must encrypt before storing them.
    ///
    /// The bytes are DER for RSA (RFC 8017 appendix A.1.2), the private scalar for P-256 and the seed for Ed25519.
    public var serialized: Secret {
        get throws(TokenError) {
            switch material {
            case .p256(let key): Secret(bytes: key.rawRepresentation)
            case .ed25519(let key): Secret(bytes: key.rawRepresentation)
            case .rsa(let key): Secret(bytes: try key.serialized())
            }
        }
    }

    /// Signs `bytes` and returns the signature in the format that JWS requires (RFC 7518 §3.3, §3.4, RFC 8037 §3.1).
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

    /// The algorithm and the key id, without key material.
    public var description: String { "\(alg.rawValue) key \(kid)" }

    /// An empty mirror, so that `dump` does not reveal the key.
    public var customMirror: Mirror { Mirror(self, children: []) }
}

extension SigningKey {
    /// The maximum length of PEM text that contains a private key, in bytes.
    public static let maxPEMLength = 16_384

    /// Creates a key from PEM text, in which blocks other than private keys, such as `EC PARAMETERS`, are skipped.
    ///
    /// The key may be in PKCS #8 (RFC 5958), SEC 1 (RFC 5915) or PKCS #1 format (RFC 8017 appendix A.1.2).
    ///
    /// - Throws: `unusableKey` unless the text contains exactly one private key, which must be unencrypted and either a
    ///   P-256 key or an RSA key with 2048 to 8192 bits.
    public init(pem: Secret) throws(TokenError) {
        let blocks = pem.count <= Self.maxPEMLength ? Self.blocks(pem.reveal()) : []
        guard blocks.count == 1, let (label, der) = blocks.first else {
            throw TokenError(.unusableKey, "exactly one private key in PEM (RFC 7468) is required, not \(blocks.count)")
        }
        switch label {
        case "ENCRYPTED PRIVATE KEY":
            throw TokenError(.unusableKey, "the key is encrypted; run: openssl pkey -in FILE -out FILE.plain")
        case "RSA PRIVATE KEY": try self.init(serialized: Secret(bytes: der), alg: .rs256)
        default:
            if let key = try? P256.Signing.PrivateKey(derRepresentation: der) {
                try self.init(serialized: Secret(bytes: key.rawRepresentation), alg: .es256)
                return
            }
            do {
                try self.init(serialized: Secret(bytes: der), alg: .rs256)
            } catch {
                throw TokenError(.unusableKey, "the key must be an RSA key of at least 2048 bits or a P-256 key")
            }
        }
    }

    /// Returns the label and the decoded contents of each private key block in PEM text (RFC 7468 §2).
    private static func blocks(_ text: String) -> [(label: String, der: Data)] {
        var blocks: [(label: String, der: Data)] = []
        var open: (label: String, base64: String)?
        for line in text.split(whereSeparator: \.isNewline).map({ $0.trimmingCharacters(in: .whitespaces) }) {
            if let label = line.wholeMatch(of: /-----BEGIN ([A-Z0-9 ]*PRIVATE KEY)-----/)?.output.1 {
                open = (String(label), "")
            } else if let block = open, line == "-----END \(block.label)-----" {
                if let der = Data(base64Encoded: block.base64) { blocks.append((block.label, der)) }
                open = nil
            } else if open != nil {
                open?.base64 += line
            }
        }
        return blocks
    }
}
