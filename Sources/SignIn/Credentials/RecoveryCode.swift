public import Foundation
public import OAuth

/// A single-use code that replaces a lost authenticator: ten characters with 50 random bits.
public struct RecoveryCode: Hashable, Sendable {
    /// The number of recovery codes per user.
    public static let count = 8
    private static let length = 10

    private let text: Secret

    /// Creates a code from at least 7 random bytes.
    public init(random: Data) {
        text = Secret(String(Base32.encode(random.prefix(7)).prefix(Self.length)))
    }

    /// Reads a code that a user has typed, ignoring case, spaces and hyphens, or returns `nil` for any other input.
    public init?(_ typed: Secret) {
        guard typed.count <= 32 else { return nil }
        let bytes = Array(typed.reveal().uppercased().utf8).filter { $0 != 0x20 && $0 != 0x2d }
        guard bytes.count == Self.length, bytes.allSatisfy(Base32.contains) else { return nil }
        text = Secret(bytes: bytes)
    }

    /// The code without its hyphen.
    ///
    /// The store contains a hash of this text.
    public var folded: Secret { text }

    /// The code with its hyphen, as it is shown to the user.
    public var shown: String {
        let all = text.reveal()
        return all.prefix(5) + "-" + all.dropFirst(5)
    }
}
