public import OAuth

/// A question of a flow.
public struct Step: Hashable, Sendable {
    /// `st_` and 22 characters; good for one evaluated answer.
    public let id: String
    /// The kind of question; a client that does not know it renders ``nodes``.
    public let type: StepType
    /// The check that asks, by its name in `checks.yaml`.
    public let check: String?
    /// A heading for people.
    public let title: String
    /// The fields to ask for.
    public let nodes: [Node]
    /// The answers that are left.
    public let attempts: AttemptsLeft?
    /// Sentences for the person.
    public let messages: [Message]
    /// Things that may be done instead of answering.
    public let actions: [Action]
    /// Facts for client programs, beside the nodes.
    public let data: JSONValue?

    /// A question of a flow.
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

/// A kind of step, by its word on the wire.
///
/// Any word is one: a client may meet newer kinds than it knows, and renders their nodes. A kind's word stands here if
/// clients or other targets mention it.
public struct StepType: RawRepresentable, Hashable, Sendable, Codable {
    /// The word.
    public let rawValue: String

    /// A kind by its word.
    public init(rawValue: String) {
        self.rawValue = rawValue
    }

    /// Any step, by its nodes; only clients say it, of what they show.
    public static let form = StepType(rawValue: "form")
    /// Attributes, and a new password, at sign-up.
    public static let attributes = StepType(rawValue: "attributes")
    /// A sign-in name alone, where a code follows.
    public static let identifier = StepType(rawValue: "identifier")
    /// A sign-in name and a password.
    public static let password = StepType(rawValue: "password")
    /// The old password and a new one, on a person's own page.
    public static let passwordChange = StepType(rawValue: "password_change")
    /// A new password of a person who is known.
    public static let newPassword = StepType(rawValue: "new_password")
    /// The attributes that a person may change.
    public static let profile = StepType(rawValue: "profile")
    /// A code that was sent.
    public static let code = StepType(rawValue: "code")
    /// The PIN that the person has for this uid.
    public static let pin = StepType(rawValue: "pin")
    /// A new PIN.
    public static let pinSetup = StepType(rawValue: "pin_setup")
    /// A code of the person's authenticator app.
    public static let totp = StepType(rawValue: "totp")
    /// A new authenticator app.
    public static let totpSetup = StepType(rawValue: "totp_setup")
    /// The recovery codes of a new authenticator app.
    public static let recoveryCodes = StepType(rawValue: "recovery_codes")
    /// A question of a custom identity provider.
    public static let external = StepType(rawValue: "external")
    /// The statement that a provider of one's own has signed.
    public static let assertion = StepType(rawValue: "assertion")
    /// The consent for a client to act for the person.
    public static let consent = StepType(rawValue: "consent")
    /// The sign-in at a provider outside, which a browser is sent to.
    public static let provider = StepType(rawValue: "provider")
}

/// A budget of answers.
public struct AttemptsLeft: Hashable, Sendable, Codable {
    /// Answers left before the block.
    public let remaining: Int
    /// Answers that were allowed at first.
    public let max: Int

    /// A budget of answers.
    public init(remaining: Int, max: Int) {
        self.remaining = remaining
        self.max = max
    }

    /// True if the next wrong answer blocks.
    public var isLast: Bool { remaining == 1 }
}

/// A sentence for the person, shown with a step.
public struct Message: Hashable, Sendable, Codable {
    /// The weight of a sentence.
    public enum Level: String, Hashable, Sendable, Codable, CaseIterable {
        /// For information.
        case info
        /// For an error.
        case error
    }

    /// The stable key, for example `credentials.wrong`.
    public let code: String
    /// Its weight.
    public let level: Level
    /// A sentence for people.
    public let text: String
    /// The node it belongs to.
    public let node: String?

    /// A sentence for the person.
    public init(code: String, level: Level, text: String, node: String? = nil) {
        self.code = code
        self.level = level
        self.text = text
        self.node = node
    }
}

/// A thing that may be done instead of answering.
public struct Action: Hashable, Sendable, Codable {
    /// The names on the wire.
    public enum Name: RawRepresentable, Hashable, Sendable, Codable, CaseIterable {
        /// End the flow.
        case cancel
        /// Send another code.
        case resend
        /// Return to the step before.
        case back
        /// Make an account instead.
        case create
        /// Set a new password instead, because the old one is forgotten.
        case forgot
        /// Sign in with the provider that the value names, or prove the second factor that it names.
        case choose
        /// An action that is newer than this version, by its word; only clients meet one.
        case other(String)

        /// The names that this version knows.
        public static let allCases: [Name] = [.cancel, .resend, .back, .create, .forgot, .choose]

        /// The name of a word; `nil` for a word that this version does not know.
        public init?(rawValue: String) {
            guard let name = Self.allCases.first(where: { $0.rawValue == rawValue }) else { return nil }
            self = name
        }

        /// The word on the wire.
        public var rawValue: String {
            switch self {
            case .cancel: "cancel"
            case .resend: "resend"
            case .back: "back"
            case .create: "create"
            case .forgot: "forgot"
            case .choose: "choose"
            case .other(let word): word
            }
        }

        /// True for an action that takes a value.
        public var takesValue: Bool {
            switch self {
            case .cancel, .resend, .back, .create, .forgot, .other: false
            case .choose: true
            }
        }
    }

    /// The name on the wire.
    public let name: Name
    /// The time from which it may be done, in milliseconds since 1970 UTC.
    public let availableAt: Int64?

    /// A thing that may be done instead of answering.
    public init(_ name: Name, availableAt: Int64? = nil) {
        self.name = name
        self.availableAt = availableAt
    }
}
