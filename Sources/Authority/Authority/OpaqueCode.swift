import Crypto
import Foundation
import Moments
import OAuth

enum OpaqueCode {
    /// Returns the current time and random bytes, 32 bytes in total, encoded in base64url.
    static func random(at now: Moment) -> Secret { Secret(Base64URL.encode(OrderedID.random(32, at: now))) }

    /// Derives a code from `name` that cannot be guessed without `key`.
    static func derived(from name: String, key: Secret) -> Secret {
        let mac = HMAC<SHA256>.authenticationCode(
            for: Data("code\u{1F}\(name)".utf8),
            using: SymmetricKey(data: key.revealBytes())
        )
        return Secret(Base64URL.encode(Data(mac)))
    }

    /// Returns a code's database key: its first six bytes and the SHA-256 hash of the whole code, in base64url.
    ///
    /// A random code begins with its creation time, so rows are in creation order. Its other 208 bits stay secret.
    static func hash(_ code: Secret) -> String {
        let bytes = code.revealBytes()
        let time = String(decoding: bytes.prefix(OrderedID.timeCharacters), as: UTF8.self)
        return time + Base64URL.encode(Data(SHA256.hash(data: bytes)))
    }
}
