/// One field of a step.
public struct Node: Hashable, Sendable, Codable {
    /// The kinds of fields, which decide how to ask for them.
    public enum Kind: String, Hashable, Sendable, Codable, CaseIterable {
        /// A line of text.
        case text
        /// A password or PIN: asked without echo, never repeated.
        case secret
        /// A code that was sent.
        case code
        /// An object in JSON, whose form only a provider knows; it may hold secrets.
        case json
        /// An e-mail address.
        case email
        /// A whole number.
        case number
        /// One of ``Node/options``.
        case select
        /// Several of ``Node/options``.
        case multiselect
        /// Yes or no.
        case bool
        /// A date, `yyyy-MM-dd`.
        case date
        /// Something to read.
        case info
        /// Something to open.
        case link
        /// Something to scan.
        case image
    }

    /// The ways of asking that are not the usual one of the kind.
    public enum Input: String, Hashable, Sendable, Codable, CaseIterable {
        /// A `text` of several lines.
        case textArea
        /// A `select` or `bool` with a button for each answer.
        case radio
        /// An `info` that looks like a field.
        case readonly
    }

    /// The member of `answers`.
    public let name: String
    /// The kind of field.
    public let kind: Kind
    /// The label to show to a person.
    public let label: String
    /// True if an answer must have it.
    public let required: Bool
    /// The value it is filled in with; never of a `secret` or `code`.
    public let value: String?
    /// The least number of characters.
    public let minLength: Int?
    /// The greatest number of characters.
    public let maxLength: Int?
    /// `digits`, or nothing.
    public let pattern: String?
    /// The values to choose from.
    public let options: [String]?
    /// The words for values, by value; one that is not here is its own word.
    public let optionLabels: [String: String]?
    /// A way of asking that is not the usual one.
    public let input: Input?
    /// The first day of a `date`.
    public let minimum: String?
    /// The last day of a `date`.
    public let maximum: String?
    /// A sentence about good answers, which a person reads before answering.
    public let hint: String?

    /// One field of a step.
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

    /// The words for one of the values to choose from.
    public func words(for option: String) -> String { optionLabels?[option] ?? option }
}

/// A problem with the answer to one node.
public struct NodeProblem: Hashable, Sendable, Codable {
    /// The words on the wire.
    public enum Code: String, Hashable, Sendable, Codable, CaseIterable {
        /// A required answer is not there.
        case missing
        /// It has fewer characters than required.
        case tooShort = "too_short"
        /// It has more characters than allowed.
        case tooLong = "too_long"
        /// It is of another type than its node's kind.
        case wrongType = "wrong_type"
        /// It has not the required form.
        case malformed
        /// It is none of the options.
        case notAnOption = "not_an_option"
        /// There is no such node.
        case unknown
        /// The password rule of the policy is not met.
        case tooWeak = "too_weak"
        /// It is outside of the allowed range.
        case outOfRange = "out_of_range"
        /// It is not the secret that the person has.
        case wrong
        /// It is the secret that it has to replace.
        case unchanged
    }

    /// The node.
    public let name: String
    /// The kind of problem.
    public let code: Code
    /// A sentence for people that describes the expected answer.
    public let text: String
    /// The predicate of the policy that is not met, or a validation and the number of its group, such as `strong/2`.
    public let rule: String?

    /// A problem with the answer to one node.
    public init(name: String, code: Code, text: String, rule: String? = nil) {
        self.name = name
        self.code = code
        self.text = text
        self.rule = rule
    }
}
