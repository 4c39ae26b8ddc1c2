import Foundation

/// A row's id: a text that every client of the protocol can put into an address, or a number that the server counted.
public struct RowID: Hashable, Sendable, Comparable, CustomStringConvertible {
    /// Longest id in characters.
    public static let maxLength = 255

    /// The text, with the blanks at its ends and its case.
    ///
    /// A number's is its digits.
    public let text: String
    /// The number, in a table whose ids are numbers.
    public let number: Int64?

    /// Reads an id.
    ///
    /// - Parameter text: 1 to 255 characters, not only blanks, no control characters, none of `"` `+` `/` `?` `\` `` ` ``,
    ///   and not exactly `.` or `..`; nil for anything else.
    public init?(_ text: String) {
        guard (1...Self.maxLength).contains(text.unicodeScalars.count), text != ".", text != "..",
            !text.allSatisfy(\.isWhitespace), !text.unicodeScalars.contains(where: Self.isForbidden)
        else { return nil }
        self.text = text
        number = nil
    }

    /// The id that is a number.
    public init(number: Int64) {
        text = "\(number)"
        self.number = number
    }

    private init(random: UUID) {
        text = random.uuidString.lowercased()
        number = nil
    }

    /// A new id: a UUID in lower case.
    public static func random() -> RowID { RowID(random: UUID()) }

    /// The text.
    public var description: String { text }

    /// Orders by the text's bytes, and numbers by what they are.
    public static func < (a: RowID, b: RowID) -> Bool {
        if let a = a.number, let b = b.number { return a < b }
        return a.text.utf8.lexicographicallyPrecedes(b.text.utf8)
    }

    private static func isForbidden(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0x00...0x1F, 0x7F...0x9F, 0x22, 0x2B, 0x2F, 0x3F, 0x5C, 0x60: true
        default: false
        }
    }
}
