public import OAuth

/// A filter that removes control characters and bidirectional formatting from external text.
///
/// These characters could mislead a terminal, a web page or a reader.
public enum PlainText {
    /// The maximum length of a filtered string, in Unicode scalars.
    static let longest = 500
    /// The maximum number of members in a filtered JSON object, or of elements in a filtered JSON array.
    static let most = 64
    /// The maximum nesting depth of a filtered JSON value.
    static let deepest = 8

    /// Whether a string contains no control characters or bidirectional formatting.
    public static func isPlain(_ text: String) -> Bool { text.unicodeScalars.allSatisfy(isPlain) }

    /// Returns a string without control characters and bidirectional formatting, as one line of at most 500 characters.
    ///
    /// Line feeds and tabs become spaces.
    public static func plain(_ text: String) -> String {
        let kept = text.unicodeScalars.lazy.map { $0 == "\n" || $0 == "\t" ? " " : $0 }.filter(isPlain).prefix(longest)
        return String(String.UnicodeScalarView(kept))
    }

    /// Returns a copy of a JSON value whose strings contain no control characters or bidirectional formatting.
    ///
    /// Values that are nested too deeply become `null`. Only the first 64 members of an object, sorted by name, and the
    /// first 64 elements of an array are kept.
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

    private static func isPlain(_ scalar: Unicode.Scalar) -> Bool {
        !scalar.isMisleading && scalar.properties.generalCategory != .privateUse
    }
}
