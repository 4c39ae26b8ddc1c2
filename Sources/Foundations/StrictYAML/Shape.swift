/// Grammar of one place of a file: the single table from which files are checked, schemas written and pages tested.
public indirect enum Shape: Sendable {
    /// Text that obeys a rule.
    case text(TextRule = .init())
    /// A whole number of a range.
    case integer(ClosedRange<Int>)
    /// A number, whole or not.
    case number
    /// Text, a number, or `true` or `false`.
    case scalar
    /// `true` or `false`.
    case boolean
    /// One of some words; those in `later` are known and refused by name.
    case choice([String], later: [String] = [])
    /// A list of between so many items.
    case list(Shape, count: ClosedRange<Int> = 0...256)
    /// A mapping of known keys.
    case object([Key])
    /// A mapping whose keys the file makes up.
    case dictionary(key: TextRule, Shape, count: ClosedRange<Int> = 0...256)
    /// The first of some shapes that fits.
    case either([Shape])
    /// Whatever stands there, unread; only good within `later`.
    case anything
    /// A value of some other shape that only a later version can use: it may be left out or have its default.
    case later(Shape, needs: String)
    /// A key that is known and never accepted, with the reason.
    case refused(because: String)
}

/// Rule for a text, beside not being empty.
public struct TextRule: Sendable {
    /// The most characters, as Unicode scalars.
    public let maxLength: Int
    /// A regular expression for schemas, anchored by itself.
    public let pattern: String?
    /// Form of the text in a few words, such as `a URL`.
    public let form: String
    /// True if the text may have several lines.
    public let hasLines: Bool
    /// Reason for refusing a text; nil if it is fine.
    public let refusal: @Sendable (String) -> String?

    /// A rule for text.
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

/// One key of a mapping.
public struct Key: Sendable {
    /// The key itself.
    public let name: String
    /// Grammar of the value.
    public let shape: Shape
    /// Default, written as YAML; nil if the key is then absent.
    public let standard: String?
    /// True if the file must have the key.
    public let isRequired: Bool
    /// Meaning, in one line of Markdown.
    public let meaning: String

    /// A key that may be left out.
    public init(_ name: String, _ shape: Shape, default standard: String? = nil, _ meaning: String) {
        self.name = name
        self.shape = shape
        self.standard = standard
        self.isRequired = false
        self.meaning = meaning
    }

    /// A key that must be there.
    public init(required name: String, _ shape: Shape, _ meaning: String) {
        self.name = name
        self.shape = shape
        self.standard = nil
        self.isRequired = true
        self.meaning = meaning
    }
}

extension Shape {
    /// One of the words of a type, which ``YAMLValue/choice(_:)`` reads.
    public static func choice<Word: CaseIterable & RawRepresentable<String>>(of: Word.Type) -> Shape {
        .choice(Word.allCases.map(\.rawValue))
    }

    /// Expected form, in a few words.
    var expectation: String {
        switch self {
        case .text(let rule): rule.form
        case .integer(let range): "a whole number from \(range.lowerBound) to \(range.upperBound)"
        case .number: "a number"
        case .scalar: "text, a number, or true or false"
        case .boolean: "true or false"
        case .choice(let words, _): words.count == 1 ? words.joined() : "one of \(words.joined(separator: ", "))"
        case .list: "a list"
        case .object, .dictionary: "a mapping"
        case .either(let shapes): shapes.map(\.expectation).joined(separator: ", or ")
        case .anything: "anything"
        case .later(let shape, _): shape.expectation
        case .refused: "left out"
        }
    }
}
