public import FlowModel
import Foundation

/// One attribute that a policy asks for.
public struct AttributeRule: Hashable, Sendable, Codable {
    /// The types of answers.
    public enum Kind: String, CaseIterable, Hashable, Sendable, Codable {
        /// Text.
        case string
        /// `true` or `false`.
        case boolean
        /// A whole number of 32 bits.
        case int
        /// A whole number that every JSON parser reads exactly: at most 2⁵³ − 1 (RFC 7493 §2.2).
        case long
        /// A day, `yyyy-MM-dd`.
        case date
        /// Some of the options.
        case stringCollection
        /// An e-mail address.
        case email

        /// True for a type whose answers are written in letters, so that they have lengths and patterns.
        public var isText: Bool {
            switch self {
            case .string, .email: true
            case .boolean, .int, .long, .date, .stringCollection: false
            }
        }

        /// True for a type whose answers may be chosen among options.
        var takesOptions: Bool {
            switch self {
            case .string, .stringCollection: true
            case .boolean, .int, .long, .date, .email: false
            }
        }

        /// True for a type whose answers can be asked for in no other way than by options.
        var needsOptions: Bool {
            switch self {
            case .stringCollection: true
            case .string, .boolean, .int, .long, .date, .email: false
            }
        }
    }

    /// The ways of asking, by B2C's user input types.
    public enum Input: String, CaseIterable, Hashable, Sendable, Codable {
        /// A line of text (TextBox).
        case text
        /// Lines of text.
        case textArea
        /// A list to choose one from (DropdownSingleSelect).
        case dropdown
        /// Buttons of which one is pressed (RadioSingleSelect).
        case radio
        /// Boxes of which several may be ticked (CheckboxMultiSelect).
        case checkboxes
        /// A box to tick.
        case checkbox
        /// A day (DateTimeDropdown).
        case date
        /// An e-mail address (EmailBox).
        case email
        /// A field that shows what is known and takes no answer (Readonly).
        case readonly
        /// A text that shows what is known (Paragraph).
        case paragraph

        /// True if nobody is asked.
        public var isShown: Bool { self == .readonly || self == .paragraph }
    }

    /// The attribute, such as `displayName` or `extension_team`.
    public let name: String
    /// The type of the answer.
    public let kind: Kind
    /// The way of asking; nil for that of the type.
    public let input: Input?
    /// True if an answer is required.
    public let required: Bool
    /// True if a code sent to the address must be returned; e-mail addresses only.
    public let verify: Bool
    /// The only accepted answers; empty if any is accepted.
    public let options: [AttributeOption]
    /// The label that the person reads, by language; empty means that of the program.
    public let label: [String: String]
    /// The least number of characters of text.
    public let minLength: Int
    /// The greatest number of characters of text.
    public let maxLength: Int
    /// A regular expression that the whole text must match.
    public let pattern: String?
    /// The predicates that the answer must meet.
    public let validation: Validation?

    /// A rule; parameters left out have the attribute's defaults.
    public init(
        name: String,
        kind: Kind? = nil,
        input: Input? = nil,
        required: Bool = false,
        verify: Bool = false,
        options: [AttributeOption] = [],
        label: [String: String] = [:],
        minLength: Int = 0,
        maxLength: Int? = nil,
        pattern: String? = nil,
        validation: Validation? = nil
    ) {
        let builtIn = BuiltInAttribute.all[name]
        self.name = name
        self.kind = kind ?? builtIn?.kind ?? .string
        self.input = input
        self.required = required
        self.verify = verify
        self.options = options
        self.label = label
        self.minLength = minLength
        self.maxLength = maxLength ?? builtIn?.maxLength ?? BuiltInAttribute.customMaxLength
        self.pattern = pattern ?? builtIn?.pattern
        self.validation = validation
    }

    /// The rule of an attribute that every user may have; nil for one that policies define.
    public static func builtIn(_ name: String) -> AttributeRule? {
        BuiltInAttribute.all[name].map { _ in AttributeRule(name: name) }
    }

    /// True if the attribute is shown and takes no answer.
    public var isShown: Bool { input?.isShown == true }

    /// The label in the first of these languages that it has; nil if it has none of them.
    public func label(in languages: [LanguageTag]) -> String? { label.text(in: languages) }

    /// The words of each answer that it may have, by the answer.
    public func optionLabels(in languages: [LanguageTag]) -> [String: String] {
        Dictionary(options.map { ($0.value, $0.words(in: languages)) }) { first, _ in first }
    }

    /// The ways in which it can be asked, the usual one first.
    var inputs: [Input] {
        let own: [Input] =
            switch kind {
            case .string: options.isEmpty ? [.text, .textArea] : [.dropdown, .radio]
            case .boolean: [.checkbox, .radio]
            case .int, .long: [.text]
            case .date: [.date]
            case .stringCollection: options.isEmpty ? [] : [.checkboxes]
            case .email: [.email]
            }
        return own + [.readonly, .paragraph]
    }
}
