import Crypto
public import Foundation
public import OAuth

/// Six digits that are sent to a person and come back once.
///
/// Only a MAC of it is kept, bound to its flow, so that a code is good nowhere else.
public struct OneTimeCode: Hashable, Sendable {
    /// Number of digits of a code.
    public static let length = 6

    private let digits: Secret

    /// A new code; each of the million is as likely as any other.
    public static func generate() -> OneTimeCode {
        var generator = SystemRandomNumberGenerator()
        let number = Int.random(in: 0..<1_000_000, using: &generator)
        let text = String(number)
        return OneTimeCode(digits: Secret(String(repeating: "0", count: length - text.count) + text))
    }

    /// Reads a code as it was typed: exactly six ASCII digits, with blanks and hyphens between them or around.
    public init?(_ typed: Secret) {
        guard typed.count <= 32 else { return nil }
        let bytes = typed.revealBytes().filter { $0 != 0x20 && $0 != 0x2d }
        guard bytes.count == Self.length, bytes.allSatisfy({ (0x30...0x39).contains($0) }) else { return nil }
        digits = Secret(bytes: bytes)
    }

    private init(digits: Secret) {
        self.digits = digits
    }

    /// The digits, for the one mail that carries them.
    public func reveal() -> String { digits.reveal() }

    /// Computes the MAC that is kept of the code.
    ///
    /// - Parameters:
    ///   - key: A key of the authority.
    ///   - context: What the code is good for.
    /// - Returns: 32 bytes.
    public func mac(key: Secret, context: String) -> Data {
        Data(HMAC<SHA256>.authenticationCode(for: message(context), using: SymmetricKey(data: key.revealBytes())))
    }

    /// Compares the code with the one that `mac` was made from, in constant time.
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
