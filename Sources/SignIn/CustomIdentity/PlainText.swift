public import OAuth

/// External texts without what could mislead a terminal, a page or a reader: controls, and marks of direction.
public enum PlainText {
    /// The longest text, in Unicode scalars.
    static let longest = 500
    /// The most members of an object, and elements of a list.
    static let most = 64
    /// The deepest nesting.
    static let deepest = 8

    /// True for a text that is plain already.
    public static func isPlain(_ text: String) -> Bool { text.unicodeScalars.allSatisfy(isPlain) }

    /// A text on one line, at most 500 characters long.
    public static func plain(_ text: String) -> String {
        let kept = text.unicodeScalars.lazy.map { $0 == "\n" || $0 == "\t" ? " " : $0 }.filter(isPlain).prefix(longest)
        return String(String.UnicodeScalarView(kept))
    }

    /// A value whose texts are plain; what is too deep, or beyond the first 64 of a list, is left out.
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
