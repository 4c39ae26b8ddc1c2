import Crypto
public import Foundation
public import OAuth

/// A six-digit code that is sent to a user by e-mail and can be used once.
///
/// Only the code's MAC is stored. The MAC is bound to the flow, so the code is not valid in any other flow.
public struct OneTimeCode: Hashable, Sendable {
    /// The number of digits in a code.
    public static let length = 6

    private let digits: Secret

    /// Returns a random code, with equal probability for all one million codes.
    public static func generate() -> OneTimeCode {
        var generator = SystemRandomNumberGenerator()
        let number = Int.random(in: 0..<1_000_000, using: &generator)
        let text = String(number)
        return OneTimeCode(digits: Secret(String(repeating: "0", count: length - text.count) + text))
    }

    /// Reads a typed code of six ASCII digits, ignoring spaces and hyphens, or returns `nil` for any other input.
    public init?(_ typed: Secret) {
        guard typed.count <= 32 else { return nil }
        let bytes = typed.revealBytes().filter { $0 != 0x20 && $0 != 0x2d }
        guard bytes.count == Self.length, bytes.allSatisfy({ (0x30...0x39).contains($0) }) else { return nil }
        digits = Secret(bytes: bytes)
    }

    private init(digits: Secret) {
        self.digits = digits
    }

    /// Returns the digits, for the message that contains them.
    public func reveal() -> String { digits.reveal() }

    /// Computes the 32-byte MAC that is stored instead of the code.
    ///
    /// The MAC is valid only for `context`.
    public func mac(key: Secret, context: String) -> Data {
        Data(HMAC<SHA256>.authenticationCode(for: message(context), using: SymmetricKey(data: key.revealBytes())))
    }

    /// Whether `mac` is the MAC of this code, compared in constant time.
    public func matches(mac: Data, key: Secret, context: String) -> Bool {
        HMAC<SHA256>.isValidAuthenticationCode(
            mac,
            authenticating: message(context),
            using: SymmetricKey(data: key.revealBytes())
        )
    }

    private func message(_ context: String) -> Data {
        Data(context.utf8) + [0] + digits.revealBytes()
    }
}
