/// The schema of a YAML value, used to validate files, generate JSON Schemas and test the documentation.
public indirect enum Shape: Sendable {
    case text(TextRule = .init())
    case integer(ClosedRange<Int>)
    /// Any finite number.
    case number
    /// Text, a number or a Boolean.
    case scalar
    case boolean
    /// One of the given words, where a word in `later` is rejected as not supported yet.
    case choice([String], later: [String] = [])
    case list(Shape, count: ClosedRange<Int> = 0...256)
    case object([Key])
    case dictionary(key: TextRule, Shape, count: ClosedRange<Int> = 0...256)
    /// A value that fits at least one of the given shapes, and that is read with the first shape that it fits.
    case either([Shape])
    /// Any value, without validation, for use only inside ``later(_:needs:)``.
    case anything
    /// A value that only a later version supports, and that must be omitted or equal to its default.
    case later(Shape, needs: String)
    /// The value of a key that is known but always rejected for the given reason.
    case refused(because: String)
}

/// The requirements for a text value, which must not be empty.
public struct TextRule: Sendable {
    /// The maximum number of characters, counted as Unicode scalars.
    public let maxLength: Int
    /// The regular expression for the text in a JSON Schema, including its anchors, or `nil` for none.
    public let pattern: String?
    /// A short description of the text, such as `a URL`.
    public let form: String
    /// Whether the text may contain line breaks.
    public let hasLines: Bool
    /// A function that returns the reason for rejecting a string, or `nil` if the string is accepted.
    public let refusal: @Sendable (String) -> String?

    /// Creates a rule that by default accepts any text of 1 to 1024 characters without control characters.
    public init(
        maxLength: Int = 1024,
        form: String = "text",
        pattern: String? = nil,
        hasLines: Bool = false,
        refusal: @escaping @Sendable (String) -> String? = { _ in nil }
    ) {
        self.maxLength = maxLength
        self.form = form
        self.pattern = pattern
        self.hasLines = hasLines
        self.refusal = refusal
    }
}

/// A key of a mapping.
public struct Key: Sendable {
    /// The name of the key.
    public let name: String
    /// The schema of the value.
    public let shape: Shape
    /// The default value in YAML, or `nil` for none.
    ///
    /// An omitted mapping with fixed keys is read as an empty mapping if it has no default.
    public let standard: String?
    /// Whether the key must be present.
    public let isRequired: Bool
    /// The description of the key, as one line of Markdown.
    public let meaning: String

    /// Creates an optional key.
    public init(_ name: String, _ shape: Shape, default standard: String? = nil, _ meaning: String) {
        self.name = name
        self.shape = shape
        self.standard = standard
        self.isRequired = false
        self.meaning = meaning
    }

    /// Creates a required key.
    public init(required name: String, _ shape: Shape, _ meaning: String) {
        self.name = name
        self.shape = shape
        self.standard = nil
        self.isRequired = true
        self.meaning = meaning
    }
}

extension Shape {
    /// Returns a choice between the raw values of a type, for use with ``YAMLValue/choice(refused:)``.
    public static func choice<Word: CaseIterable & RawRepresentable<String>>(of: Word.Type) -> Shape {
        .choice(Word.allCases.map(\.rawValue))
    }

    var expectation: String {
        switch self {
        case .text(let rule): rule.form
        case .integer(let range): "a whole number from \(range.lowerBound) to \(range.upperBound)"
        case .number: "a number"
        case .scalar: "text, a number, true or false"
        case .boolean: "true or false"
        case .choice(let words, _): words.count == 1 ? words.joined() : "one of \(words.joined(separator: ", "))"
        case .list: "a list"
        case .object, .dictionary: "a mapping"
        case .either(let shapes): shapes.map(\.expectation).joined(separator: ", or ")
        case .anything: "any value"
        case .later(let shape, _): shape.expectation
        case .refused: "left out"
        }
    }
}
