public import OAuth

/// One question of a flow.
public struct Step: Hashable, Sendable {
    /// `st_` and 22 characters; good for one evaluated answer.
    public let id: String
    /// What kind of question it is; who does not know the kind renders ``nodes``.
    public let type: StepType
    /// The check that asks, as `checks.yaml` names it.
    public let check: String?
    /// A heading for people.
    public let title: String
    /// What to ask for.
    public let nodes: [Node]
    /// What is left of the budget.
    public let attempts: AttemptsLeft?
    /// What to tell the person.
    public let messages: [Message]
    /// What else may be done.
    public let actions: [Action]
    /// What machines need beside the nodes.
    public let data: JSONValue?

    /// One question of a flow.
    public init(
        id: String,
        type: StepType,
        check: String? = nil,
        title: String,
        nodes: [Node],
        attempts: AttemptsLeft? = nil,
        messages: [Message] = [],
        actions: [Action] = [],
        data: JSONValue? = nil
    ) {
        self.id = id
        self.type = type
        self.check = check
        self.title = title
        self.nodes = nodes
        self.attempts = attempts
        self.messages = messages
        self.actions = actions
        self.data = data
    }
}

/// The kinds of steps.
public enum StepType: String, Hashable, Sendable, Codable, CaseIterable {
    /// Attributes, and a new password, at sign-up.
    case attributes
    /// A sign-in name alone, where a code follows.
    case identifier
    /// A sign-in name and a password.
    case password
    /// A code that was sent.
    case code
    /// Whether a program may act for the person.
    case consent
}

/// How many answers are left.
public struct AttemptsLeft: Hashable, Sendable, Codable {
    /// Answers left before the block.
    public let remaining: Int
    /// Answers there were.
    public let max: Int

    /// How many answers are left.
    public init(remaining: Int, max: Int) {
        self.remaining = remaining
        self.max = max
    }

    /// Whether the next wrong answer blocks.
    public var isLast: Bool { remaining == 1 }
}

/// Something that is told to the person with a step.
public struct Message: Hashable, Sendable, Codable {
    /// How much it matters.
    public enum Level: String, Hashable, Sendable, Codable, CaseIterable {
        /// For information.
        case info
        /// Something was wrong.
        case error
    }

    /// The stable key, for example `credentials.wrong`.
    public let code: String
    /// How much it matters.
    public let level: Level
    /// A sentence for people.
    public let text: String
    /// The node it belongs to.
    public let node: String?

    /// Something that is told to the person.
    public init(code: String, level: Level, text: String, node: String? = nil) {
        self.code = code
        self.level = level
        self.text = text
        self.node = node
    }
}

/// Something that may be done instead of answering.
public struct Action: Hashable, Sendable, Codable {
    /// The names on the wire.
    public enum Name: String, Hashable, Sendable, Codable, CaseIterable {
        /// End the flow.
        case cancel
        /// Send another code.
        case resend
        /// Return to the step before.
        case back
        /// Make an account instead.
        case create
    }

    /// What may be done.
    public let name: Name
    /// From when on, in milliseconds since 1970 UTC.
    public let availableAt: Int64?

    /// Something that may be done instead of answering.
    public init(_ name: Name, availableAt: Int64? = nil) {
        self.name = name
        self.availableAt = availableAt
    }
}
