import Crypto
public import Foundation
public import OAuth

/// A single-use six-digit code sent by e-mail, of which only a MAC that is bound to the flow is stored.
public struct OneTimeCode: Hashable, Sendable {
    /// The number of digits in a code.
    public static let length = 6
    /// The maximum length of a typed code, in bytes.
    static let longestTyped = 96

    private let digits: Secret

    /// Returns a random code, where all one million codes are equally likely.
    public static func generate() -> OneTimeCode {
        var generator = SystemRandomNumberGenerator()
        let number = Int.random(in: 0..<1_000_000, using: &generator)
        let text = String(number)
        return OneTimeCode(digits: Secret(String(repeating: "0", count: length - text.count) + text))
    }

    /// Reads a code normalized with ``CodeText/folded(_:)``, or returns `nil` if it does not have six digits.
    public init?(_ typed: Secret) {
        guard typed.count <= Self.longestTyped else { return nil }
        let bytes = Array(CodeText.folded(typed.reveal()).utf8)
        guard bytes.count == Self.length, bytes.allSatisfy({ (0x30...0x39).contains($0) }) else { return nil }
        digits = Secret(bytes: bytes)
    }

    private init(digits: Secret) {
        self.digits = digits
    }

    /// Returns the digits of the code, for the e-mail message that contains them.
    public func reveal() -> String { digits.reveal() }

    /// Computes the 32-byte MAC, valid only for `context`, that is stored instead of the code.
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
