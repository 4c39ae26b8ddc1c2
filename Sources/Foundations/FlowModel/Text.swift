/// A sentence for people: its key in the catalogs of texts, and what stands in the places of its parameters.
///
/// The words are those of a catalog, one per language (`Localization`), so that a daemon can say in English what a program
/// shows in the language of its person.
public struct Text: Hashable, Sendable {
    /// The name of the sentence in every catalog.
    public let key: String
    /// What stands in the sentence, by the names in its braces.
    ///
    /// The number `count` chooses between the forms for one and for several.
    public let parameters: [String: Value]

    /// A sentence of the catalogs; `scripts/check-texts` looks for the key and for the names of the parameters.
    public init(_ key: String, _ parameters: [String: any TextParameter] = [:]) {
        self.init(key: key, parameters: parameters.mapValues(\.textValue))
    }

    /// A sentence of the catalogs with values that somebody else has put together.
    public init(key: String, parameters: [String: Value]) {
        self.key = key
        self.parameters = parameters
    }

    /// Words that are the same in every language, or that no catalog has.
    public init(exactly words: String) {
        self.init(key: Self.exactly, parameters: ["words": .words(words)])
    }

    private static let exactly = "exactly"

    /// The words of a sentence that is no catalog's.
    public var exactWords: String? {
        guard key == Self.exactly, case .words(let words)? = parameters["words"] else { return nil }
        return words
    }

    /// What stands in a sentence.
    public enum Value: Hashable, Sendable {
        /// Words as they are.
        case words(String)
        /// A whole number.
        case number(Int64)
        /// Another sentence, in the language of the whole.
        case text(Text)
        /// Several, with a word of the language or a sign between them.
        case list([Value], Joint)
    }

    /// What stands between the elements of a list.
    public enum Joint: String, Hashable, Sendable, CaseIterable {
        case and
        case or
        case comma
        case semicolon
    }

    /// A list such as `a and b`.
    public static func and(_ values: [any TextParameter]) -> Value { .list(values.map(\.textValue), .and) }

    /// A list such as `a or b`.
    public static func or(_ values: [any TextParameter]) -> Value { .list(values.map(\.textValue), .or) }

    /// A list such as `a, b`.
    public static func comma(_ values: [any TextParameter]) -> Value { .list(values.map(\.textValue), .comma) }

    /// A sentence of others with a sign between them, such as `a, b`.
    public static func list(_ texts: [Text], _ joint: Joint = .comma) -> Text {
        Text(key: exactly, parameters: ["words": .list(texts.map(Value.text), joint)])
    }
}

/// What may stand in the place of a parameter.
public protocol TextParameter {
    /// The value as a sentence holds it.
    var textValue: Text.Value { get }
}

extension Text: TextParameter {
    /// The sentence, in the language of the whole.
    public var textValue: Value { .text(self) }
}

extension Text.Value: TextParameter {
    /// The value itself.
    public var textValue: Text.Value { self }
}

extension String: TextParameter {
    /// The words as they are.
    public var textValue: Text.Value { .words(self) }
}

extension Substring: TextParameter {
    /// The words as they are.
    public var textValue: Text.Value { .words(String(self)) }
}

extension FixedWidthInteger where Self: TextParameter {
    /// The number.
    public var textValue: Text.Value { .number(Int64(clamping: self)) }
}

extension Int: TextParameter {}
extension Int32: TextParameter {}
extension Int64: TextParameter {}
extension UInt16: TextParameter {}
extension UInt32: TextParameter {}
extension UInt64: TextParameter {}
