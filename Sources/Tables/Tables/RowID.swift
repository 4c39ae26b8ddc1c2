import Foundation

/// A row's id, which is either a string that every client can put into a URL or a number that the server assigns.
public struct RowID: Hashable, Sendable, Comparable, CustomStringConvertible {
    /// The maximum length of an id, in characters.
    public static let maxLength = 255

    /// The id as text, which for a numeric id consists of decimal digits.
    public let text: String
    /// The number of a numeric id, or `nil` for a string id.
    public let number: Int64?

    /// Creates an id from a string of 1 to 255 characters, or returns `nil` if the string is not a valid id.
    ///
    /// An id is not `.`, `..` or whitespace, and has no control characters, backticks or any of `"` `+` `/` `?` `\`.
    public init?(_ text: String) {
        guard Self.isPlain(text) || Self.isAllowed(text) else { return nil }
        self.text = text
        number = nil
    }

    /// Creates a numeric id.
    public init(number: Int64) {
        text = "\(number)"
        self.number = number
    }

    private init(made text: String) {
        self.text = text
        number = nil
    }

    /// Returns a new random id, which is a version 4 UUID in lower case and reveals nothing about the row.
    public static func random() -> RowID { RowID(made: UUID().uuidString.lowercased()) }

    /// Returns a new id for a row, which is a version 7 UUID in lower case with 74 random bits (RFC 9562 §5.7).
    ///
    /// `milliseconds` is the time of the insert, in milliseconds since 1970 UTC. The ids sort by this time, so rows
    /// that are inserted at about the same time are stored close together.
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

    /// Returns whether an id has only ASCII letters, digits and hyphens, which is a fast check for most ids.
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

    /// The same string as ``text``.
    public var description: String { text }

    /// Compares the UTF-8 bytes, because an API stores strings that are only canonically equivalent as different ids.
    public static func == (a: RowID, b: RowID) -> Bool { a.number == b.number && a.text.hasSameBytes(as: b.text) }

    /// Hashes the UTF-8 bytes.
    public func hash(into hasher: inout Hasher) { text.hashBytes(into: &hasher) }

    /// Orders numeric ids by value, and string ids by their UTF-8 bytes.
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
