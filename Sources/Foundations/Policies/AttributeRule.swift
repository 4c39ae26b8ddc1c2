public import FlowModel
import Foundation

/// The rule for the values of one attribute that a policy collects from the user.
public struct AttributeRule: Hashable, Sendable, Codable {
    /// The attribute types.
    public enum Kind: String, CaseIterable, Hashable, Sendable, Codable {
        case string
        case boolean
        /// A 32-bit integer.
        case int
        /// An integer that every JSON parser reads exactly, from −(2⁵³ − 1) to 2⁵³ − 1 (RFC 7493 §2.2).
        case long
        /// A day in the form `yyyy-MM-dd`.
        case date
        /// A list of strings, each of which must be one of the options, if there are any.
        case stringCollection
        case email

        /// Whether values are free text, which can have length limits and a pattern.
        public var isText: Bool {
            switch self {
            case .string, .email: true
            case .boolean, .int, .long, .date, .stringCollection: false
            }
        }

        var takesOptions: Bool {
            switch self {
            case .string, .stringCollection: true
            case .boolean, .int, .long, .date, .email: false
            }
        }

        var needsOptions: Bool {
            switch self {
            case .stringCollection: true
            case .string, .boolean, .int, .long, .date, .email: false
            }
        }
    }

    /// The input styles, which correspond to the user input types of Azure AD B2C.
    public enum Input: String, CaseIterable, Hashable, Sendable, Codable {
        /// A single-line text field (`TextBox` in Azure AD B2C).
        case text
        case textArea
        /// A list with a single selection (`DropdownSingleSelect` in Azure AD B2C).
        case dropdown
        /// Radio buttons (`RadioSingleSelect` in Azure AD B2C).
        case radio
        /// Checkboxes with multiple selection (`CheckboxMultiSelect` in Azure AD B2C).
        case checkboxes
        case checkbox
        /// A date field (`DateTimeDropdown` in Azure AD B2C).
        case date
        /// An e-mail field (`EmailBox` in Azure AD B2C).
        case email
        /// A read-only field that shows the stored value (`Readonly` in Azure AD B2C).
        case readonly
        /// A paragraph that shows the stored value (`Paragraph` in Azure AD B2C).
        case paragraph

        /// Whether the user can see but not edit the value in this style.
        public var isShown: Bool { self == .readonly || self == .paragraph }
    }

    /// The name of the attribute, such as `displayName` or `extension_team`.
    public let name: String
    /// The type of the value.
    public let kind: Kind
    /// The input style, or `nil` for the default style of the type.
    public let input: Input?
    /// Whether a value is required.
    public let required: Bool
    /// Whether the user must verify the e-mail address with a code.
    public let verify: Bool
    /// The allowed values, or an empty array if the values are not limited to options.
    public let options: [AttributeOption]
    /// The labels by language, or an empty dictionary for the default label of the program that shows the attribute.
    public let label: [String: String]
    /// The minimum number of characters in a text value.
    public let minLength: Int
    /// The maximum number of characters in a text value.
    public let maxLength: Int
    /// A regular expression that the whole text must match.
    public let pattern: String?
    /// The predicates that the value must satisfy, or `nil` if there are no predicates.
    public let validation: Validation?

    /// Creates a rule that uses the attribute's defaults for omitted parameters.
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

    /// Returns the rule of a built-in attribute, or `nil` for any other name.
    public static func builtIn(_ name: String) -> AttributeRule? {
        BuiltInAttribute.all[name].map { _ in AttributeRule(name: name) }
    }

    /// Whether the user can see but not edit the attribute.
    public var isShown: Bool { input?.isShown == true }

    /// Returns the label in the first of `languages` that has a label, or `nil` if none of them has a label.
    public func label(in languages: [LanguageTag]) -> String? { label.text(in: languages) }

    /// Returns the text that is shown for each option, keyed by the option's value.
    public func optionLabels(in languages: [LanguageTag]) -> [String: String] {
        Dictionary(options.map { ($0.value, $0.words(in: languages)) }) { first, _ in first }
    }

    /// The supported input styles, beginning with the default.
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
