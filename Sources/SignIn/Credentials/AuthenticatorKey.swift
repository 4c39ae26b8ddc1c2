import Crypto
import Foundation
public import OAuth

/// The secret key of an authenticator app, from which codes are derived (RFC 6238 with SHA-1, 30 s and 6 digits).
public struct AuthenticatorKey: Hashable, Sendable {
    /// The number of digits in a code.
    public static let digits = 6
    /// The length of a time step in seconds, during which the app shows the same code.
    public static let period: Int64 = 30
    /// The number of time steps by which a code can be early or late and still be valid (RFC 6238 §5.2).
    public static let window: Int64 = 1

    /// The shared secret.
    public let secret: Secret

    /// Creates a key from a secret of 20 bytes, the length that RFC 4226 §4 recommends.
    public init(_ secret: Secret) {
        self.secret = secret
    }

    /// Returns the number of the time step that contains `time`, given in milliseconds since 1970 UTC.
    public static func step(at time: Int64) -> Int64 { time / 1000 / period }

    /// Returns the code for a time step.
    public func code(step: Int64) -> String {
        let counter = withUnsafeBytes(of: UInt64(bitPattern: step).bigEndian) { Data($0) }
        let key = SymmetricKey(data: secret.revealBytes())
        let mac = Array(HMAC<Insecure.SHA1>.authenticationCode(for: counter, using: key))
        let offset = Int(mac[mac.count - 1] & 0x0f)
        let number = mac[offset..<offset + 4].reduce(UInt32(0)) { $0 << 8 | UInt32($1) } & 0x7fff_ffff
        let text = String(number % 1_000_000)
        return String(repeating: "0", count: Self.digits - text.count) + text
    }

    /// Returns the newest time step within ``window`` whose code is `typed`, or `nil` if no code matches.
    ///
    /// Each comparison takes constant time. `time` is the current time in milliseconds since 1970 UTC.
    public func step(of typed: Secret, at time: Int64) -> Int64? {
        let present = Self.step(at: time)
        var found: Int64?
        for step in (present - Self.window)...(present + Self.window) where Secret(code(step: step)) == typed {
            found = step
        }
        return found
    }

    /// The key in base32 without padding (RFC 4648 §6), as text that a user can type into an app.
    public var base32: String { Base32.encode(secret.revealBytes()) }
}
