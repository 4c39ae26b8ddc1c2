import Crypto
import Foundation
import OAuth

/// A random text that is handed out once, and of which only the hash is kept.
enum OpaqueCode {
    /// Makes one: 32 random bytes in base64url.
    static func random() -> Secret { Secret(Base64URL.encode(RefreshToken.random(32))) }

    /// Makes the one that belongs to a name: nobody can guess it without the key.
    static func derived(from name: String, key: Secret) -> Secret {
        let mac = HMAC<SHA256>.authenticationCode(
            for: Data("code\u{1F}\(name)".utf8),
            using: SymmetricKey(data: key.revealBytes())
        )
        return Secret(Base64URL.encode(Data(mac)))
    }

    /// SHA-256 in base64url, by which the store finds it.
    static func hash(_ code: Secret) -> String {
        Base64URL.encode(Data(SHA256.hash(data: code.revealBytes())))
    }
}
