/// A field in a step of a flow.
public struct Node: Hashable, Sendable, Codable {
    /// The kinds of fields, which determine how a program prompts for a value.
    public enum Kind: String, Hashable, Sendable, Codable, CaseIterable {
        case text
        /// A password or PIN, typed without echo and never shown again.
        case secret
        /// A code that was sent to the user.
        case code
        /// A JSON object in a provider-specific format, which can contain secrets.
        case json
        case email
        case number
        case select
        case multiselect
        case bool
        /// A date in the form `yyyy-MM-dd`.
        case date
        /// Text for the user to read.
        case info
        case link
        /// An image for the user to scan, such as a QR code.
        case image
    }

    /// The input styles that a node can have instead of the default style of its kind.
    public enum Input: String, Hashable, Sendable, Codable, CaseIterable {
        /// A `text` node with several lines.
        case textArea
        /// A `select` or `bool` node with a radio button for each value.
        case radio
        /// An `info` node that is displayed like a read-only field.
        case readonly
    }

    /// The name of the field, which is also the name of the member of `answers` that contains the field's value.
    public let name: String
    /// The kind of field.
    public let kind: Kind
    /// The label of the field.
    public let label: String
    /// Whether the field must be filled in.
    public let required: Bool
    /// The initial value, which is always `nil` for the kinds `secret` and `code`.
    public let value: String?
    /// The minimum number of characters.
    public let minLength: Int?
    /// The maximum number of characters.
    public let maxLength: Int?
    /// The kind of characters that are allowed (`digits`), or `nil` if all characters are allowed.
    public let pattern: String?
    /// The allowed values.
    public let options: [String]?
    /// The labels of the allowed values, keyed by value; a value without a label is shown as it is.
    public let optionLabels: [String: String]?
    /// The input style, or `nil` for the default style of the kind.
    public let input: Input?
    /// The earliest date that a `date` node accepts.
    public let minimum: String?
    /// The latest date that a `date` node accepts.
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

    /// Returns the label of an allowed value, or the value itself if the value has no label.
    public func words(for option: String) -> String { optionLabels?[option] ?? option }
}

/// A problem with the user's answer for one node.
public struct NodeProblem: Hashable, Sendable, Codable {
    /// The kinds of problems, with their names on the wire.
    public enum Code: String, Hashable, Sendable, Codable, CaseIterable {
        case missing
        case tooShort = "too_short"
        case tooLong = "too_long"
        case wrongType = "wrong_type"
        case malformed
        case notAnOption = "not_an_option"
        /// The step has no such node.
        case unknown
        /// The password does not satisfy the policy's password rule.
        case tooWeak = "too_weak"
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
    /// The human-readable message that describes the expected value.
    public let text: String
    /// The violated policy rule (a predicate's name, or `strong/2` for group 2 of the validation `strong`), or `nil`.
    public let rule: String?

    /// Creates the description of a problem with the answer for one node.
    public init(name: String, code: Code, text: String, rule: String? = nil) {
        self.name = name
        self.code = code
        self.text = text
        self.rule = rule
    }
}
