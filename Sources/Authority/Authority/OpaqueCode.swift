import Crypto
import Foundation
import Moments
import OAuth

/// A random text that is handed out once, and of which only the first bytes and the hash are kept.
enum OpaqueCode {
    /// Makes one: 32 bytes in base64url, of which all but those of the time are random.
    static func random(at now: Moment) -> Secret { Secret(Base64URL.encode(OrderedID.random(32, at: now))) }

    /// Makes the one that belongs to a name: nobody can guess it without the key.
    static func derived(from name: String, key: Secret) -> Secret {
        let mac = HMAC<SHA256>.authenticationCode(
            for: Data("code\u{1F}\(name)".utf8),
            using: SymmetricKey(data: key.revealBytes())
        )
        return Secret(Base64URL.encode(Data(mac)))
    }

    /// The text by which the store finds it: its first six bytes, and SHA-256 of it all, in base64url.
    ///
    /// The first bytes of a random one are its time, so that rows lie in the order in which they were made. At least 208 bits
    /// stay secret.
    static func hash(_ code: Secret) -> String {
        let bytes = code.revealBytes()
        let time = String(decoding: bytes.prefix(OrderedID.timeCharacters), as: UTF8.self)
        return time + Base64URL.encode(Data(SHA256.hash(data: bytes)))
    }
}
