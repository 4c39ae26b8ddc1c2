import Crypto
import Foundation
public import OAuth

extension SigningAlgorithm {
    /// The left half of a token's hash in base64url, by the hash of the algorithm (`at_hash`, OpenID Connect Core
    /// §3.1.3.6).
    public func halfHash(of token: Secret) -> String {
        let bytes = token.revealBytes()
        return switch self {
        case .es256, .rs256: Base64URL.encode(Data(SHA256.hash(data: bytes)).prefix(16))
        case .eddsa: Base64URL.encode(Data(SHA512.hash(data: bytes)).prefix(32))
        }
    }
}
