public import OAuth

/// A filter that removes control characters and bidirectional formatting, which could mislead, from external text.
public enum PlainText {
    /// The maximum length of a filtered string, in Unicode scalars.
    static let longest = 500
    /// The maximum number of members in a filtered JSON object, or of elements in a filtered JSON array.
    static let most = 64
    /// The maximum nesting depth of a filtered JSON value.
    static let deepest = 8

    /// Whether a user name contains no control characters, bidirectional formatting or invisible characters.
    public static func isPlain(_ name: String) -> Bool { !name.unicodeScalars.contains(where: isRefused) }

    /// Returns one plain line of at most 500 characters, with spaces instead of line feeds and tabs.
    public static func plain(_ text: String) -> String {
        let line = text.unicodeScalars.map { $0 == "\n" || $0 == "\t" ? " " : $0 }
        return String(String.UnicodeScalarView(line)).removingOutOfPlace(limit: longest, isRefused)
    }

    /// Returns a JSON value with plain strings, at most 64 members or elements, and `null` for values nested too deep.
    public static func plain(_ value: JSONValue) -> JSONValue { plain(value, depth: 0) }

    private static func plain(_ value: JSONValue, depth: Int) -> JSONValue {
        guard depth < deepest else { return .null }
        switch value {
        case .null, .bool, .int, .double: return value
        case .string(let text): return .string(plain(text))
        case .array(let items): return .array(items.prefix(most).map { plain($0, depth: depth + 1) })
        case .object(let members):
            let kept = members.sorted { $0.key < $1.key }.prefix(most).map { (plain($0.key), $0.value) }
            return .object(Dictionary(kept.map { ($0, plain($1, depth: depth + 1)) }) { first, _ in first })
        }
    }

    private static func isRefused(_ scalar: Unicode.Scalar) -> Bool {
        scalar.isMisleading || scalar.properties.generalCategory == .privateUse
    }
}
