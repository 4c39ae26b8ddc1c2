import Crypto
import Foundation
import Moments
import OAuth

enum OpaqueCode {
    /// Creates a code that consists of the current time and random bytes.
    ///
    /// The time and the random bytes are 32 bytes in total, encoded in base64url.
    static func random(at now: Moment) -> Secret { Secret(Base64URL.encode(OrderedID.random(32, at: now))) }

    /// Derives a code from `name`.
    ///
    /// The code cannot be guessed without `key`.
    static func derived(from name: String, key: Secret) -> Secret {
        let mac = HMAC<SHA256>.authenticationCode(
            for: Data("code\u{1F}\(name)".utf8),
            using: SymmetricKey(data: key.revealBytes())
        )
        return Secret(Base64URL.encode(Data(mac)))
    }

    /// Returns the key under which a code is stored.
    ///
    /// The key consists of the code's first six bytes and the SHA-256 hash of the whole code, both in base64url. A
    /// random code begins with its creation time, so rows are stored in creation order. The other 208 bits of the code
    /// stay secret.
    static func hash(_ code: Secret) -> String {
        let bytes = code.revealBytes()
        let time = String(decoding: bytes.prefix(OrderedID.timeCharacters), as: UTF8.self)
        return time + Base64URL.encode(Data(SHA256.hash(data: bytes)))
    }
}
