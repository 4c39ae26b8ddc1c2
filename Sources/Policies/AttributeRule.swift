import Foundation

/// One attribute that a policy asks for.
public struct AttributeRule: Hashable, Sendable, Codable {
    /// What an answer is.
    public enum Kind: String, CaseIterable, Hashable, Sendable, Codable {
        /// Text.
        case string
        /// `true` or `false`.
        case boolean
        /// A whole number.
        case int
        /// An e-mail address.
        case email
    }

    /// The attribute, such as `displayName` or `extension_team`.
    public let name: String
    /// What an answer is.
    public let kind: Kind
    /// Whether there must be an answer.
    public let required: Bool
    /// Whether a code that is sent to the address must come back; e-mail addresses only.
    public let verify: Bool
    /// The only answers, or empty for any.
    public let options: [String]
    /// What the person reads, by language; empty means the name.
    public let label: [String: String]
    /// The fewest characters of text.
    public let minLength: Int
    /// The most characters of text.
    public let maxLength: Int
    /// A regular expression that the whole text must match.
    public let pattern: String?

    /// A rule; what is left out has the default of the attribute.
    public init(
        name: String,
        kind: Kind? = nil,
        required: Bool = false,
        verify: Bool = false,
        options: [String] = [],
        label: [String: String] = [:],
        minLength: Int = 0,
        maxLength: Int? = nil,
        pattern: String? = nil
    ) {
        let builtIn = BuiltInAttribute.all[name]
        self.name = name
        self.kind = kind ?? builtIn?.kind ?? .string
        self.required = required
        self.verify = verify
        self.options = options
        self.label = label
        self.minLength = minLength
        self.maxLength = maxLength ?? builtIn?.maxLength ?? BuiltInAttribute.customMaxLength
        self.pattern = pattern ?? builtIn?.pattern
    }

    /// What the person reads in a language, or in English, or the attribute's name.
    public func label(in language: String) -> String {
        label[language] ?? label[String(language.prefix { $0 != "-" && $0 != "_" })] ?? label["en"]
            ?? BuiltInAttribute.all[name]?.label ?? name
    }
}
