public import Foundation
public import OAuth

/// A single-use code that a user enters instead of an authenticator code, for example after losing the device.
///
/// The code consists of ten characters with 50 random bits.
public struct RecoveryCode: Hashable, Sendable {
    /// The number of recovery codes that each user gets.
    public static let count = 8
    private static let length = 10

    private let text: Secret

    /// Creates a code from random bytes.
    ///
    /// `random` must contain at least 7 bytes.
    public init(random: Data) {
        text = Secret(String(Base32.encode(random.prefix(7)).prefix(Self.length)))
    }

    /// Creates a code from text that a user typed, or returns `nil` if the text is not a recovery code.
    ///
    /// For the spellings that are accepted, see ``CodeText/folded(_:)``.
    public init?(_ typed: Secret) {
        guard typed.count <= OneTimeCode.longestTyped else { return nil }
        let bytes = Array(CodeText.folded(typed.reveal()).utf8)
        guard bytes.count == Self.length, bytes.allSatisfy(Base32.contains) else { return nil }
        text = Secret(bytes: bytes)
    }

    /// The code without its hyphen.
    ///
    /// The store contains a hash of this text.
    public var folded: Secret { text }

    /// The code with a hyphen in the middle, as it is shown to the user.
    public var shown: String {
        let all = text.reveal()
        return all.prefix(5) + "-" + all.dropFirst(5)
    }
}
