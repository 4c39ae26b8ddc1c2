/// A set of versions, as `If-Match` and `If-None-Match` name them (RFC 9110 §13.1).
public enum VersionCondition: Hashable, Sendable {
    /// Nothing: the last write wins.
    case none
    /// Any row that is not deleted.
    case exists
    /// A row of one of these versions.
    case oneOf([RowVersion])

    /// Most tags that are read.
    public static let maxTags = 16

    /// Reads the value of `If-Match`.
    ///
    /// Weak tags never match and so are left out (RFC 9110 §13.1.1). Nil if the field is malformed.
    public init?(ifMatch field: String) {
        self.init(field, takesWeak: false)
    }

    /// Reads the value of `If-None-Match`, where a weak tag matches as a strong one does (RFC 9110 §13.1.2).
    ///
    /// Nil if the field is malformed.
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

    /// True if `row` is as the condition demands.
    public func holds(for row: TableRow) -> Bool {
        switch self {
        case .none: true
        case .exists: !row.isDeleted
        case .oneOf(let versions): versions.contains(row.version)
        }
    }

    /// A quoted tag, in which clients escape quotation marks, and what comes after it.
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

/// The version of a row, which every write changes; equal versions are equal rows.
public struct RowVersion: Hashable, Sendable, CustomStringConvertible {
    /// The opaque text, base64.
    public let description: String

    /// The version that a write at `updatedAt` made; a row is never written twice at the same time.
    public init(updatedAt: Int64) {
        description = String(unsafeUninitializedCapacity: Self.length) { Self.write(updatedAt: updatedAt, to: $0) }
    }

    /// A version that a client sent.
    public init(_ text: String) {
        description = text
    }

    /// The strong entity tag (RFC 9110 §8.8.3).
    public var entityTag: String { "\"\(description)\"" }

    /// Bytes of the ``description`` of a write's version.
    package static let length = 12

    /// Writes the UTF-8 of the ``description`` of a write's version.
    ///
    /// - Parameters:
    ///   - updatedAt: The time of the write.
    ///   - bytes: Has room for ``length``.
    /// - Returns: ``length``.
    package static func write(updatedAt: Int64, to bytes: UnsafeMutableBufferPointer<UInt8>) -> Int {
        let bits = UInt64(bitPattern: updatedAt)
        // 64 bits are ten digits of six bits and one of four, which is filled up with zeros.
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

/// The conditions of a request on the row that is there (RFC 9110 §13.2.2).
public struct Preconditions: Hashable, Sendable {
    /// No condition: the last write wins.
    public static let none = Preconditions()

    /// `If-Match`: the row must be one of these.
    public var match = VersionCondition.none
    /// `If-None-Match`: the row must be none of these; ``VersionCondition/none`` names no row.
    public var noneMatch = VersionCondition.none

    /// True if a write of `row` may go on.
    public func hold(for row: TableRow) -> Bool {
        match.holds(for: row) && !names(row)
    }

    /// True if `If-None-Match` names `row`: the reader has it already.
    public func names(_ row: TableRow) -> Bool {
        noneMatch != .none && noneMatch.holds(for: row)
    }
}
