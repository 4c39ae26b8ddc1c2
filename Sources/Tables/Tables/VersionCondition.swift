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
