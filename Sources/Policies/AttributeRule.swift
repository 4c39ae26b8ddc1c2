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
        /// A whole number.
        case int
        /// An e-mail address.
        case email
    }

    /// The attribute, such as `displayName` or `extension_team`.
    public let name: String
    /// The type of the answer.
    public let kind: Kind
    /// True if an answer is required.
    public let required: Bool
    /// True if a code sent to the address must be returned; e-mail addresses only.
    public let verify: Bool
    /// The only accepted answers; empty if any is accepted.
    public let options: [String]
    /// The label that the person reads, by language; empty means that of the program.
    public let label: [String: String]
    /// The least number of characters of text.
    public let minLength: Int
    /// The greatest number of characters of text.
    public let maxLength: Int
    /// A regular expression that the whole text must match.
    public let pattern: String?

    /// A rule; parameters left out have the attribute's defaults.
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

    /// The label in the first of these languages that it has; nil if it has none of them.
    public func label(in languages: [LanguageTag]) -> String? {
        let own = Dictionary(label.map { ($0.key.lowercased(), $0.value) }) { first, _ in first }
        return languages.lazy.flatMap(\.ranges).compactMap { own[$0] }.first
    }
}
