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
        guard Self.isPlain(text) || Self.isAllowed(text) else { return nil }
        self.text = text
        number = nil
    }

    /// The id that is a number.
    public init(number: Int64) {
        text = "\(number)"
        self.number = number
    }

    private init(made text: String) {
        self.text = text
        number = nil
    }

    /// A new id that tells nothing: a UUID of version 4 in lower case.
    public static func random() -> RowID { RowID(made: UUID().uuidString.lowercased()) }

    /// A new id for a row: a UUID of version 7 in lower case (RFC 9562 §5.7), so that rows lie in the order of their ids as
    /// they lie in the order of their times, and a page of them lies in one place.
    ///
    /// - Parameter milliseconds: The time of the insertion, since 1970 UTC.
    /// - Returns: The id; 74 of its bits are random.
    public static func made(at milliseconds: Int64) -> RowID {
        var generator = SystemRandomNumberGenerator()
        let high = UInt64(max(milliseconds, 0)) << 16 | 0x7000 | generator.next() & 0x0FFF
        let low: UInt64 = 0x8000_0000_0000_0000 | generator.next() >> 2
        let (first, last) = (hexadecimal(high), hexadecimal(low))
        return RowID(
            made:
                "\(first.prefix(8))-\(first.dropFirst(8).prefix(4))-\(first.suffix(4))-\(last.prefix(4))-\(last.dropFirst(4))"
        )
    }

    private static func isAllowed(_ text: String) -> Bool {
        (1...maxLength).contains(text.unicodeScalars.count) && text != "." && text != ".."
            && !text.allSatisfy(\.isWhitespace) && !text.unicodeScalars.contains(where: isForbidden)
    }

    /// True for ids as programs make them, of letters, digits and hyphens, which a long list has thousands of.
    private static func isPlain(_ text: String) -> Bool {
        let isPlain = text.utf8.withContiguousStorageIfAvailable { bytes in
            (1...maxLength).contains(bytes.count)
                && bytes.allSatisfy { byte in
                    switch byte {
                    case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "a")...UInt8(ascii: "z"),
                        UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "-"):
                        true
                    default: false
                    }
                }
        }
        return isPlain ?? false
    }

    private static func hexadecimal(_ value: UInt64) -> String {
        let digits = String(value, radix: 16)
        return String(repeating: "0", count: 16 - digits.utf8.count) + digits
    }

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
