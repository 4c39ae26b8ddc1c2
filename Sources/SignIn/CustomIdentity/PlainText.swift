public import OAuth

/// Removes from external text the characters that could mislead a terminal, a web page or a reader: control characters
/// and bidirectional formatting.
public enum PlainText {
    /// The maximum length of a string, in Unicode scalars.
    static let longest = 500
    /// The maximum number of members in an object or elements in an array.
    static let most = 64
    /// The maximum nesting depth.
    static let deepest = 8

    /// Whether a string is free of control characters and bidirectional formatting.
    public static func isPlain(_ text: String) -> Bool { text.unicodeScalars.allSatisfy(isPlain) }

    /// Returns a string as one line of at most 500 characters, without control characters and bidirectional formatting.
    public static func plain(_ text: String) -> String {
        let kept = text.unicodeScalars.lazy.map { $0 == "\n" || $0 == "\t" ? " " : $0 }.filter(isPlain).prefix(longest)
        return String(String.UnicodeScalarView(kept))
    }

    /// Returns a JSON value whose strings contain no control characters or bidirectional formatting.
    ///
    /// Values that are nested too deeply, or that are beyond the first 64 of an object or array, are left out.
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
