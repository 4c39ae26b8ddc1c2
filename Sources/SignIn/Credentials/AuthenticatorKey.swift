import Crypto
import Foundation
public import OAuth

/// The key that an authenticator app shares with the authority, and its codes (RFC 6238 with SHA-1, 30 s and 6 digits).
public struct AuthenticatorKey: Hashable, Sendable {
    /// Number of digits of a code.
    public static let digits = 6
    /// Seconds for which a code is shown.
    public static let period: Int64 = 30
    /// The steps before and after the present one whose codes are taken, for clocks that differ (RFC 6238 §5.2).
    public static let window: Int64 = 1

    /// The bytes that both share.
    public let secret: Secret

    /// A key of 20 bytes, the length of the hash (RFC 4226 §4).
    public init(_ secret: Secret) {
        self.secret = secret
    }

    /// The number of a time step.
    ///
    /// - Parameter time: Milliseconds since 1970 UTC.
    /// - Returns: The number of periods since then.
    public static func step(at time: Int64) -> Int64 { time / 1000 / period }

    /// Returns the code of a time step.
    public func code(step: Int64) -> String {
        let counter = withUnsafeBytes(of: UInt64(bitPattern: step).bigEndian) { Data($0) }
        let key = SymmetricKey(data: secret.revealBytes())
        let mac = Array(HMAC<Insecure.SHA1>.authenticationCode(for: counter, using: key))
        let offset = Int(mac[mac.count - 1] & 0x0f)
        let number = mac[offset..<offset + 4].reduce(UInt32(0)) { $0 << 8 | UInt32($1) } & 0x7fff_ffff
        let text = String(number % 1_000_000)
        return String(repeating: "0", count: Self.digits - text.count) + text
    }

    /// Finds the time step that a code is of, in constant time for each step that is compared.
    ///
    /// - Parameters:
    ///   - typed: The digits.
    ///   - time: Milliseconds since 1970 UTC.
    /// - Returns: The newest step within ``window`` whose code it is; nil if there is none.
    public func step(of typed: Secret, at time: Int64) -> Int64? {
        let present = Self.step(at: time)
        var found: Int64?
        for step in (present - Self.window)...(present + Self.window) where Secret(code(step: step)) == typed {
            found = step
        }
        return found
    }

    /// The key as a person types it into an app (RFC 4648 §6), without padding.
    public var base32: String { Base32.encode(secret.revealBytes()) }
}
