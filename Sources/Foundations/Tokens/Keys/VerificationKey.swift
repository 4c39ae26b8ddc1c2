import Crypto
import Foundation
public import OAuth

/// A public key that is bound to one algorithm and verifies only signatures made with that algorithm (RFC 8725 §3.1).
public struct VerificationKey: Sendable, Hashable {
    /// The only algorithm that the key is used with, even if a token specifies another algorithm.
    public let alg: SigningAlgorithm
    /// The key id that tokens contain.
    public let kid: String
    let material: Material

    enum Material: Sendable {
        case p256(P256.Signing.PublicKey)
        case ed25519(Curve25519.Signing.PublicKey)
        case rsa(RSAKey)
    }

    init(alg: SigningAlgorithm, kid: String?, material: Material) {
        self.alg = alg
        self.material = material
        self.kid = kid ?? Self.thumbprint(material)
    }

    /// Returns whether `signature` is a valid signature of `bytes` by this key.
    public func verifies(signature: some Collection<UInt8>, over bytes: some Collection<UInt8>) -> Bool {
        verifies(signature: Array(signature), over: Array(bytes))
    }

    func verifies(signature: [UInt8], over bytes: [UInt8]) -> Bool {
        switch material {
        case .p256(let key):
            guard let signature = try? P256.Signing.ECDSASignature(rawRepresentation: signature) else { return false }
            return key.isValidSignature(signature, for: bytes)
        case .ed25519(let key): return key.isValidSignature(signature, for: bytes)
        case .rsa(let key): return key.verifies(signature, over: bytes)
        }
    }

    /// The thumbprint of the key (RFC 7638 §3).
    public var thumbprint: String { Self.thumbprint(material) }

    private static func thumbprint(_ material: Material) -> String {
        Base64URL.encode(Array(SHA256.hash(data: JSONValue.object(material.members).bytes)))
    }

    /// Returns whether two keys have the same algorithm, key id and key material.
    public static func == (a: Self, b: Self) -> Bool {
        a.alg == b.alg && a.kid == b.kid && a.material.members == b.material.members
    }

    /// Hashes the key id and the algorithm.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(kid)
        hasher.combine(alg)
    }
}

extension VerificationKey {
    /// The maximum length of a JWK's `kid`, in bytes.
    public static let maxKidLength = 256

    /// Creates a key from a public JWK (RFC 7517 §4, RFC 7518 §6, RFC 8037 §2).
    ///
    /// Without `alg`, the key type determines the algorithm. Without `kid`, the thumbprint is the key id.
    ///
    /// - Throws: `unusableKey` if `jwk` is malformed, private, or not for verifying with a supported algorithm.
    public init(jwk: JSONValue) throws(TokenError) {
        guard let members = jwk.object, let kty = members["kty"]?.string else {
            throw TokenError(.unusableKey, "the key has no kty")
        }
        guard !members.keys.contains(where: Self.privateMembers.contains) else {
            throw TokenError(.unusableKey, "the key contains private members")
        }
        if let use = members["use"], use != "sig" { throw TokenError(.unusableKey, "the key is not for signatures") }
        if let operations = members["key_ops"], operations.strings?.contains("verify") != true {
            throw TokenError(.unusableKey, "the key is not for verifying")
        }
        let alg: SigningAlgorithm
        let material: Material
        switch kty {
        case "EC": (alg, material) = (.es256, .p256(try Self.p256(members)))
        case "OKP": (alg, material) = (.eddsa, .ed25519(try Self.ed25519(members)))
        case "RSA": (alg, material) = (.rs256, .rsa(try Self.rsa(members)))
        default: throw TokenError(.unusableKey, "the key's kty is not supported")
        }
        if let name = members["alg"], name.string != alg.rawValue {
            throw TokenError(.unusableKey, "the key's alg is not supported")
        }
        var kid: String?
        if let name = members["kid"] {
            guard let text = name.string, (1...Self.maxKidLength).contains(text.utf8.count) else {
                throw TokenError(.unusableKey, "the key's kid is empty, too long or not a string")
            }
            kid = text
        }
        self.init(alg: alg, kid: kid, material: material)
    }

    /// The key as a public JWK that contains `use`, `alg` and `kid`.
    public var jwk: JSONValue {
        var members = material.members
        members["use"] = "sig"
        members["alg"] = .string(alg.rawValue)
        members["kid"] = .string(kid)
        return .object(members)
    }

    private static let privateMembers: Set<String> = ["d", "p", "q", "dp", "dq", "qi", "oth", "k"]

    private static func p256(_ members: [String: JSONValue]) throws(TokenError) -> P256.Signing.PublicKey {
        guard members["crv"] == "P-256" else { throw TokenError(.unusableKey, "the key's crv is not supported") }
        let point = try bytes("x", of: members, count: 32) + bytes("y", of: members, count: 32)
        guard let key = try? P256.Signing.PublicKey(rawRepresentation: point) else {
            throw TokenError(.unusableKey, "the key is not a point on its curve")
        }
        return key
    }

    private static func ed25519(_ members: [String: JSONValue]) throws(TokenError) -> Curve25519.Signing.PublicKey {
        guard members["crv"] == "Ed25519" else { throw TokenError(.unusableKey, "the key's crv is not supported") }
        let point = try bytes("x", of: members, count: 32)
        guard let key = try? Curve25519.Signing.PublicKey(rawRepresentation: point) else {
            throw TokenError(.unusableKey, "the key is not a point on its curve")
        }
        return key
    }

    private static func rsa(_ members: [String: JSONValue]) throws(TokenError) -> RSAKey {
        try RSAKey.publicKey(modulus: bytes("n", of: members), exponent: bytes("e", of: members))
    }

    private static func bytes(
        _ name: String,
        of members: [String: JSONValue],
        count: Int? = nil
    ) throws(TokenError) -> [UInt8] {
        guard let bytes = members[name]?.string.flatMap({ Base64URL.decode($0) }), !bytes.isEmpty,
            count == nil || bytes.count == count
        else { throw TokenError(.unusableKey, "the key's \(name) is malformed") }
        return Array(bytes)
    }
}

extension VerificationKey.Material {
    /// The JWK members that the thumbprint is computed from, without any other members (RFC 7638 §3.2, RFC 8037 §2).
    var members: [String: JSONValue] {
        switch self {
        case .p256(let key):
            let point = key.rawRepresentation
            return [
                "kty": "EC", "crv": "P-256",
                "x": .string(Base64URL.encode(point.prefix(32))),
                "y": .string(Base64URL.encode(point.suffix(32))),
            ]
        case .ed25519(let key):
            return ["kty": "OKP", "crv": "Ed25519", "x": .string(Base64URL.encode(key.rawRepresentation))]
        case .rsa(let key):
            return [
                "kty": "RSA",
                "n": .string(Base64URL.encode(key.modulus)),
                "e": .string(Base64URL.encode(key.exponent)),
            ]
        }
    }
}
