import Crypto
import Foundation
import OAuth

/// A public key, bound to the one algorithm it verifies (RFC 8725 §3.1).
public struct VerificationKey: Sendable, Hashable {
    /// The algorithm; no other is tried with this key, whatever a token claims.
    public let alg: SigningAlgorithm
    /// The key id in tokens.
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

    /// True if `signature` is this key's signature of `bytes`.
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

    /// The id that is derived from the key itself (RFC 7638 §3).
    public var thumbprint: String { Self.thumbprint(material) }

    private static func thumbprint(_ material: Material) -> String {
        Base64URL.encode(Array(SHA256.hash(data: JSONValue.object(material.members).bytes)))
    }

    /// Compares the algorithms, the key ids and the keys.
    public static func == (a: Self, b: Self) -> Bool {
        a.alg == b.alg && a.kid == b.kid && a.material.members == b.material.members
    }

    /// Hashes the key id and the algorithm.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(kid)
        hasher.combine(alg)
    }
}
