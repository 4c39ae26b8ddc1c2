import Crypto
import Foundation
import OAuth

/// An opaque refresh token of this authority, derived from its family's secret and its counter.
///
/// If the token is presented again, the same successor can therefore be returned without being stored.
struct RefreshToken: Hashable {
    static let familyBytes = 16
    static let secretBytes = 32

    /// The family's id: its creation time and random bytes, ``familyBytes`` bytes in total, in base64url.
    let family: String
    /// The token's number in the family, starting at 0.
    let counter: UInt64
    private let tag: Data

    init?(family: String, counter: UInt64, secret: Secret) {
        guard let head = Self.head(family: family, counter: counter) else { return nil }
        self.family = family
        self.counter = counter
        let key = SymmetricKey(data: secret.revealBytes())
        tag = Data(HMAC<SHA256>.authenticationCode(for: head, using: key))
    }

    /// Parses a token without verifying it, or returns `nil` if the token is malformed.
    init?(_ token: Secret) {
        guard token.count <= Self.maxLength, let bytes = Base64URL.decode(token.reveal()),
            bytes.count == Self.headBytes + SHA256.byteCount, bytes.first == Self.version
        else { return nil }
        family = Base64URL.encode(bytes[1...Self.familyBytes])
        counter = bytes[(1 + Self.familyBytes)..<Self.headBytes].reduce(0) { $0 << 8 | UInt64($1) }
        tag = bytes[Self.headBytes...]
    }

    /// Whether the token was derived from the family's secret, compared in constant time.
    func isGenuine(secret: Secret) -> Bool {
        guard let head = Self.head(family: family, counter: counter) else { return false }
        let key = SymmetricKey(data: secret.revealBytes())
        return HMAC<SHA256>.isValidAuthenticationCode(tag, authenticating: head, using: key)
    }

    var text: Secret {
        guard let head = Self.head(family: family, counter: counter) else { return Secret("") }
        return Secret(Base64URL.encode(head + tag))
    }

    /// Returns at most 256 random bytes from a single system call.
    static func random(_ count: Int) -> Data {
        var bytes = Data(count: count)
        let isFilled = bytes.withUnsafeMutableBytes { getentropy($0.baseAddress, $0.count) == 0 }
        precondition(isFilled, "the kernel returned no random bytes")
        return bytes
    }

    private static func head(family: String, counter: UInt64) -> Data? {
        guard let id = Base64URL.decode(family), id.count == familyBytes else { return nil }
        return Data([version]) + id + withUnsafeBytes(of: counter.bigEndian) { Data($0) }
    }

    private static let version: UInt8 = 1
    private static let headBytes = 1 + familyBytes + 8
    /// The maximum length of a token, in characters.
    private static let maxLength = 128
}
