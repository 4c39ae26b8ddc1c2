/// A condition on a row's version, from `If-Match` or `If-None-Match` (RFC 9110 §13.1).
public enum VersionCondition: Hashable, Sendable {
    /// There is no condition, so the last write wins.
    case none
    /// The row must exist and must not be deleted (`*`).
    case exists
    /// The row must have one of these versions.
    case oneOf([RowVersion])

    /// The maximum number of entity tags in a header field, above which the field is malformed.
    public static let maxTags = 16

    /// Parses `If-Match`, ignoring weak tags (RFC 9110 §13.1.1), or returns `nil` if the field is malformed.
    public init?(ifMatch field: String) {
        self.init(field, takesWeak: false)
    }

    /// Parses `If-None-Match`, or returns `nil` if the field is malformed.
    ///
    /// A weak tag is treated like a strong tag (RFC 9110 §13.1.2).
    public init?(ifNoneMatch field: String) {
        self.init(field, takesWeak: true)
    }

    private init?(_ field: String, takesWeak: Bool) {
        if field.trimmingBlanks == "*" {
            self = .exists
            return
        }
        var versions: [RowVersion] = []
        var rest = Substring(field.trimmingBlanks)
        while true {
            let isWeak = rest.hasPrefix("W/")
            if isWeak { rest.removeFirst(2) }
            guard let (tag, after) = Self.tag(rest) else { return nil }
            if !isWeak || takesWeak { versions.append(RowVersion(tag)) }
            guard versions.count <= Self.maxTags else { return nil }
            rest = after.drop { $0 == " " || $0 == "\t" }
            if rest.isEmpty { break }
            guard rest.first == "," else { return nil }
            rest = rest.dropFirst().drop { $0 == " " || $0 == "\t" }
        }
        self = .oneOf(versions)
    }

    /// Returns whether `row` satisfies the condition.
    public func holds(for row: TableRow) -> Bool {
        switch self {
        case .none: true
        case .exists: !row.isDeleted
        case .oneOf(let versions): versions.contains(row.version)
        }
    }

    /// Returns the unescaped tag at the beginning of `text` and the text after it, or `nil` if there is no quoted tag.
    private static func tag(_ text: Substring) -> (String, Substring)? {
        guard text.first == "\"" else { return nil }
        var tag = ""
        var isEscaped = false
        var index = text.index(after: text.startIndex)
        while index < text.endIndex {
            let character = text[index]
            index = text.index(after: index)
            if isEscaped {
                tag.append(character)
                isEscaped = false
            } else if character == "\\" {
                isEscaped = true
            } else if character == "\"" {
                return (tag, text[index...])
            } else {
                tag.append(character)
            }
        }
        return nil
    }
}

extension String {
    fileprivate var trimmingBlanks: String {
        let isBlank: (Character) -> Bool = { $0 == " " || $0 == "\t" }
        return String(String(drop(while: isBlank).reversed().drop(while: isBlank)).reversed())
    }
}

/// The version of a row, which changes with every write.
///
/// Two copies of a row with the same version have the same values.
public struct RowVersion: Hashable, Sendable, CustomStringConvertible {
    /// The version as an opaque base64 string.
    public let description: String

    /// Creates the version of a row that was written at the time `updatedAt`, which must be different for each write.
    public init(updatedAt: Int64) {
        description = String(unsafeUninitializedCapacity: Self.length) { Self.write(updatedAt: updatedAt, to: $0) }
    }

    /// Creates a version from a string sent by a client.
    public init(_ text: String) {
        description = text
    }

    /// The version as a strong entity tag (RFC 9110 §8.8.3).
    public var entityTag: String { "\"\(description)\"" }

    /// The length in bytes of each ``description`` that the server creates.
    package static let length = 12

    /// Writes the ``description`` for `updatedAt` to `bytes`, which needs ``length`` bytes, and returns ``length``.
    package static func write(updatedAt: Int64, to bytes: UnsafeMutableBufferPointer<UInt8>) -> Int {
        let bits = UInt64(bitPattern: updatedAt)
        // Ten base64 digits hold the first 60 bits. One more digit holds the last four bits, padded with zeros.
        for place in 0..<10 { bytes[place] = digit(bits >> UInt64(58 - 6 * place)) }
        bytes[10] = digit(bits << 2)
        bytes[11] = UInt8(ascii: "=")
        return length
    }

    private static func digit(_ bits: UInt64) -> UInt8 {
        switch UInt8(bits & 63) {
        case let value where value < 26: UInt8(ascii: "A") + value
        case let value where value < 52: UInt8(ascii: "a") + value - 26
        case let value where value < 62: UInt8(ascii: "0") + value - 52
        case 62: UInt8(ascii: "+")
        default: UInt8(ascii: "/")
        }
    }
}

/// A request's conditions on the stored row (RFC 9110 §13.2.2).
public struct Preconditions: Hashable, Sendable {
    /// No conditions, so the last write wins.
    public static let none = Preconditions()

    /// The condition from `If-Match`, which the row must satisfy.
    public var match = VersionCondition.none
    /// The condition from `If-None-Match`, or `none` if the request has no such field.
    ///
    /// A row that satisfies the condition cannot be written.
    public var noneMatch = VersionCondition.none

    /// Returns whether `row` satisfies the conditions for a write.
    public func hold(for row: TableRow) -> Bool {
        match.holds(for: row) && !names(row)
    }

    /// Returns whether `If-None-Match` matches `row`, which means that the client already has this version.
    public func names(_ row: TableRow) -> Bool {
        noneMatch != .none && noneMatch.holds(for: row)
    }
}
