import Crypto
import Foundation
public import OAuth

/// The supported signature algorithms, named as in the header member `alg` (RFC 7518 §3.1, RFC 8037 §3.1).
///
/// `none` and symmetric algorithms are missing, so that they cannot be used by mistake (RFC 8725 §2.1).
public enum SigningAlgorithm: String, CaseIterable, Hashable, Sendable, Codable {
    /// ECDSA on P-256 with SHA-256.
    case es256 = "ES256"
    case eddsa = "EdDSA"
    /// RSASSA-PKCS1-v1_5 with SHA-256.
    case rs256 = "RS256"
}

extension SigningAlgorithm {
    /// Returns the left half of a token's hash in base64url, as in `at_hash` (OpenID Connect Core §3.1.3.6).
    public func halfHash(of token: Secret) -> String {
        let bytes = token.revealBytes()
        return switch self {
        case .es256, .rs256: Base64URL.encode(Data(SHA256.hash(data: bytes)).prefix(16))
        case .eddsa: Base64URL.encode(Data(SHA512.hash(data: bytes)).prefix(32))
        }
    }
}
