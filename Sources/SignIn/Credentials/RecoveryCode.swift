public import Foundation
public import OAuth

/// A code that stands in once for a lost authenticator: ten characters, which are 50 random bits.
public struct RecoveryCode: Hashable, Sendable {
    /// Number of codes that a person has.
    public static let count = 8
    private static let length = 10

    private let text: Secret

    /// A code of random bytes.
    ///
    /// - Parameter random: At least 7 bytes.
    public init(random: Data) {
        text = Secret(String(Base32.encode(random.prefix(7)).prefix(Self.length)))
    }

    /// Reads a code as it was typed: in any case, with blanks and hyphens anywhere.
    public init?(_ typed: Secret) {
        guard typed.count <= 32 else { return nil }
        let bytes = Array(typed.reveal().uppercased().utf8).filter { $0 != 0x20 && $0 != 0x2d }
        guard bytes.count == Self.length, bytes.allSatisfy(Base32.contains) else { return nil }
        text = Secret(bytes: bytes)
    }

    /// The characters without a hyphen, from which the store makes its hash.
    public var folded: Secret { text }

    /// The code as it is shown, the one time that it is.
    public var shown: String {
        let all = text.reveal()
        return all.prefix(5) + "-" + all.dropFirst(5)
    }
}
