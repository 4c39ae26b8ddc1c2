/// A human-readable sentence in any language, stored as its key in the catalogs and its placeholders' values.
public struct Text: Hashable, Sendable {
    /// The key of the sentence in every catalog.
    public let key: String
    /// The values of the placeholders, by name; `count` selects the singular or the plural form of the sentence.
    public let parameters: [String: Value]

    /// Creates a sentence from the catalogs; `scripts/check-texts` checks the key and the parameter names.
    public init(_ key: String, _ parameters: [String: any TextParameter] = [:]) {
        self.init(key: key, parameters: parameters.mapValues(\.textValue))
    }

    /// Creates a catalog sentence whose key and values are only known at run time.
    public init(key: String, parameters: [String: Value]) {
        self.key = key
        self.parameters = parameters
    }

    /// Creates a sentence from literal text that is the same in every language or is not in any catalog.
    public init(exactly words: String) {
        self.init(key: Self.exactly, parameters: ["words": .words(words)])
    }

    private static let exactly = "exactly"

    /// The literal text of a sentence that ``init(exactly:)`` created, or `nil` for any other sentence.
    public var exactWords: String? {
        guard key == Self.exactly, case .words(let words)? = parameters["words"] else { return nil }
        return words
    }

    /// The value of a placeholder.
    public enum Value: Hashable, Sendable {
        case words(String)
        case number(Int64)
        case text(Text)
        case list([Value], Joint)
    }

    /// The ways in which the elements of a list can be joined.
    public enum Joint: String, Hashable, Sendable, CaseIterable {
        case and
        case or
        case comma
        case semicolon
        case space
    }

    /// Returns a list such as `a and b`.
    public static func and(_ values: [any TextParameter]) -> Value { .list(values.map(\.textValue), .and) }

    /// Returns a list such as `a or b`.
    public static func or(_ values: [any TextParameter]) -> Value { .list(values.map(\.textValue), .or) }

    /// Returns a list such as `a, b`.
    public static func comma(_ values: [any TextParameter]) -> Value { .list(values.map(\.textValue), .comma) }

    /// Joins sentences into a single sentence, by default into a list such as `a, b`.
    public static func list(_ texts: [Text], _ joint: Joint = .comma) -> Text {
        Text(key: exactly, parameters: ["words": .list(texts.map(Value.text), joint)])
    }
}

/// A type whose values can replace a placeholder in a sentence.
public protocol TextParameter {
    var textValue: Text.Value { get }
}

extension Text: TextParameter {
    /// The sentence as a value for a placeholder of another sentence.
    public var textValue: Value { .text(self) }
}

extension Text.Value: TextParameter {
    /// The value itself.
    public var textValue: Text.Value { self }
}

extension String: TextParameter {
    /// The string as literal text.
    public var textValue: Text.Value { .words(self) }
}

extension Substring: TextParameter {
    /// The substring as literal text.
    public var textValue: Text.Value { .words(String(self)) }
}

extension FixedWidthInteger where Self: TextParameter {
    /// The number, clamped to the range of `Int64`.
    public var textValue: Text.Value { .number(Int64(clamping: self)) }
}

extension Int: TextParameter {}
extension Int32: TextParameter {}
extension Int64: TextParameter {}
extension UInt16: TextParameter {}
extension UInt32: TextParameter {}
extension UInt64: TextParameter {}
