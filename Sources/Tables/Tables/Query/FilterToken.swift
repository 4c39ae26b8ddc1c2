/// A word of a filter and where it stands.
struct FilterToken {
    enum Kind: Equatable {
        case identifier(String)
        /// A number without its sign, which belongs to it only where an operand is expected.
        case number(String)
        case literal(QueryLiteral)
        case open
        case close
        case comma
        case minus
        case end
    }

    let kind: Kind
    let position: Int

    /// Words that stand for values and so name no column, in lower case.
    static let reserved: Set<String> = ["true", "false", "null", "not"]

    /// True if a filter can name the column.
    static func isColumn(_ name: String) -> Bool {
        guard !reserved.contains(name.lowercased()), !name.isEmpty else { return false }
        return name.split(separator: "/", omittingEmptySubsequences: false).allSatisfy { part in
            guard let first = part.unicodeScalars.first, first.beginsName else { return false }
            return part.unicodeScalars.allSatisfy(\.continuesName)
        }
    }
}

extension Unicode.Scalar {
    var beginsName: Bool { self == "_" || properties.isAlphabetic }
    var continuesName: Bool { beginsName || isDigit }
    var isDigit: Bool { ("0"..."9").contains(self) }
    var isBlank: Bool { self == " " || self == "\t" || self == "\n" || self == "\r" }
}
