/// One field of a step.
public struct Node: Hashable, Sendable, Codable {
    /// The kinds of fields, which determine how a program prompts for a value.
    public enum Kind: String, Hashable, Sendable, Codable, CaseIterable {
        /// A line of text.
        case text
        /// A password or PIN.
        ///
        /// The value is typed without echo and never shown again.
        case secret
        /// A code that was sent to the user.
        case code
        /// A JSON object in a provider-specific format.
        ///
        /// The object can contain secrets.
        case json
        /// An e-mail address.
        case email
        /// A whole number.
        case number
        /// One of ``Node/options``.
        case select
        /// Several of ``Node/options``.
        case multiselect
        /// `true` or `false`.
        case bool
        /// A date, `yyyy-MM-dd`.
        case date
        /// Text to read.
        case info
        /// A link to open.
        case link
        /// An image to scan.
        case image
    }

    /// The input styles that differ from the default style of a kind.
    public enum Input: String, Hashable, Sendable, Codable, CaseIterable {
        /// A `text` with several lines.
        case textArea
        /// A `select` or `bool` with a radio button for each value.
        case radio
        /// An `info` that looks like a field.
        case readonly
    }

    /// The member of `answers` that contains the value.
    public let name: String
    /// The kind of field.
    public let kind: Kind
    /// The label of the field.
    public let label: String
    /// Whether the field must be filled in.
    public let required: Bool
    /// The initial value.
    ///
    /// Never set for `secret` and `code`.
    public let value: String?
    /// The minimum number of characters.
    public let minLength: Int?
    /// The maximum number of characters.
    public let maxLength: Int?
    /// `digits`, or `nil` for any characters.
    public let pattern: String?
    /// The allowed values.
    public let options: [String]?
    /// The labels of the allowed values.
    ///
    /// A value without a label is shown unchanged.
    public let optionLabels: [String: String]?
    /// The input style, or `nil` for the default style of the kind.
    public let input: Input?
    /// The earliest allowed day of a `date`.
    public let minimum: String?
    /// The latest allowed day of a `date`.
    public let maximum: String?
    /// A hint about the expected value, shown before the user answers.
    public let hint: String?

    /// Creates a field.
    public init(
        name: String,
        kind: Kind,
        label: String,
        required: Bool,
        value: String? = nil,
        minLength: Int? = nil,
        maxLength: Int? = nil,
        pattern: String? = nil,
        options: [String]? = nil,
        optionLabels: [String: String]? = nil,
        input: Input? = nil,
        minimum: String? = nil,
        maximum: String? = nil,
        hint: String? = nil
    ) {
        self.name = name
        self.kind = kind
        self.label = label
        self.required = required
        self.value = value
        self.minLength = minLength
        self.maxLength = maxLength
        self.pattern = pattern
        self.options = options
        self.optionLabels = optionLabels
        self.input = input
        self.minimum = minimum
        self.maximum = maximum
        self.hint = hint
    }

    /// Returns the label of one of the allowed values, or the value itself if it has no label.
    public func words(for option: String) -> String { optionLabels?[option] ?? option }
}

/// A problem with the answer to one node.
public struct NodeProblem: Hashable, Sendable, Codable {
    /// The kinds of problems, with their names on the wire.
    public enum Code: String, Hashable, Sendable, Codable, CaseIterable {
        /// A required value is missing.
        case missing
        /// The value is too short.
        case tooShort = "too_short"
        /// The value is too long.
        case tooLong = "too_long"
        /// The value does not have the type that the kind of node requires.
        case wrongType = "wrong_type"
        /// The value does not have the required format.
        case malformed
        /// The value is not one of the options.
        case notAnOption = "not_an_option"
        /// The step has no such node.
        case unknown
        /// The password does not satisfy the policy's password rule.
        case tooWeak = "too_weak"
        /// The value is outside the allowed range.
        case outOfRange = "out_of_range"
        /// The value does not match the user's secret.
        case wrong
        /// The new secret is the same as the old one.
        case unchanged
    }

    /// The name of the node.
    public let name: String
    /// The kind of problem.
    public let code: Code
    /// The human-readable sentence that describes the expected value.
    public let text: String
    /// The rule of the policy that the value violates: the name of a predicate, or the name of a validation with the
    /// number of a group, such as `strong/2`.
    public let rule: String?

    /// Creates a problem with the answer to one node.
    public init(name: String, code: Code, text: String, rule: String? = nil) {
        self.name = name
        self.code = code
        self.text = text
        self.rule = rule
    }
}
