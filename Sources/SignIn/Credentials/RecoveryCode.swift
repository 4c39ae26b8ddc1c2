public import Foundation
public import OAuth

/// A single-use code of ten characters, with 50 random bits, that replaces an authenticator code.
public struct RecoveryCode: Hashable, Sendable {
    /// The number of recovery codes that each user gets.
    public static let count = 8
    private static let length = 10

    private let text: Secret

    /// Creates a code from at least 7 random bytes.
    public init(random: Data) {
        text = Secret(String(Base32.encode(random.prefix(7)).prefix(Self.length)))
    }

    /// Reads a typed code in any spelling that ``CodeText/folded(_:)`` accepts, or returns `nil` for other text.
    public init?(_ typed: Secret) {
        guard typed.count <= OneTimeCode.longestTyped else { return nil }
        let bytes = Array(CodeText.folded(typed.reveal()).utf8)
        guard bytes.count == Self.length, bytes.allSatisfy(Base32.contains) else { return nil }
        text = Secret(bytes: bytes)
    }

    /// The code without its hyphen, which is the form that is hashed for the store.
    public var folded: Secret { text }

    /// The code with a hyphen in the middle, as it is shown to the user.
    public var shown: String {
        let all = text.reveal()
        return all.prefix(5) + "-" + all.dropFirst(5)
    }
}
