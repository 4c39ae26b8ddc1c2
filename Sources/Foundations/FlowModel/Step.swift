public import OAuth

/// A single step of a flow, such as a prompt for a password.
public struct Step: Hashable, Sendable {
    /// The step's id (`st_` and 22 characters), which is valid for only one answer.
    public let id: String
    /// The kind of step; a client that does not support it renders ``nodes`` instead.
    public let type: StepType
    /// The name of the step's check in `checks.yaml`, or `nil` if the step does not belong to a check.
    public let check: String?
    /// The human-readable heading.
    public let title: String
    /// The fields of the step.
    public let nodes: [Node]
    /// The remaining attempts, or `nil` if the number of attempts is not limited.
    public let attempts: AttemptsLeft?
    /// The messages for the user.
    public let messages: [Message]
    /// The actions that the user can take instead of answering.
    public let actions: [Action]
    /// Details for client programs, in addition to the nodes.
    public let data: JSONValue?

    /// Creates a step.
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

/// A kind of step, identified by its name on the wire.
///
/// A client renders a step of an unknown kind from the step's nodes.
public struct StepType: RawRepresentable, Hashable, Sendable, Codable {
    /// The name on the wire.
    public let rawValue: String

    /// Creates a kind of step from its name on the wire.
    public init(rawValue: String) {
        self.rawValue = rawValue
    }

    /// Stands for all kinds but ``provider`` in ``Presentation/steps``; no step of a flow has this kind.
    public static let form = StepType(rawValue: "form")
    /// A step that prompts for the attributes and the password of a new account.
    public static let attributes = StepType(rawValue: "attributes")
    /// A step that prompts for a sign-in name only, followed by a step that prompts for a code.
    public static let identifier = StepType(rawValue: "identifier")
    /// A step that prompts for a sign-in name and a password.
    public static let password = StepType(rawValue: "password")
    /// A step on the user's account page that prompts for the old password and a new password.
    public static let passwordChange = StepType(rawValue: "password_change")
    /// A step that prompts an already identified user for a new password.
    public static let newPassword = StepType(rawValue: "new_password")
    /// A step that prompts for new values of the attributes that a user may change.
    public static let profile = StepType(rawValue: "profile")
    /// A step that prompts for a code that was sent to the user.
    public static let code = StepType(rawValue: "code")
    /// A step that prompts for the PIN that the user set for the caller's uid.
    public static let pin = StepType(rawValue: "pin")
    /// A step that prompts for a new PIN.
    public static let pinSetup = StepType(rawValue: "pin_setup")
    /// A step that prompts for a code from the user's authenticator app.
    public static let totp = StepType(rawValue: "totp")
    /// A step in which the user sets up an authenticator app.
    public static let totpSetup = StepType(rawValue: "totp_setup")
    /// A step that shows the recovery codes for a newly set up authenticator app.
    public static let recoveryCodes = StepType(rawValue: "recovery_codes")
    /// A step that a custom identity provider defines.
    public static let external = StepType(rawValue: "external")
    /// A step that requires an assertion signed by a custom identity provider.
    public static let assertion = StepType(rawValue: "assertion")
    /// A step that asks for the user's consent to a client's request.
    public static let consent = StepType(rawValue: "consent")
    /// A step that redirects the browser to an external provider, where the user signs in.
    public static let provider = StepType(rawValue: "provider")
}

/// The number of attempts that remain at a step.
public struct AttemptsLeft: Hashable, Sendable, Codable {
    /// The number of attempts that remain before the check is blocked.
    public let remaining: Int
    /// The initial number of attempts.
    public let max: Int

    /// Creates a value from the remaining and the initial number of attempts.
    public init(remaining: Int, max: Int) {
        self.remaining = remaining
        self.max = max
    }

    /// Whether the next wrong answer blocks the check.
    public var isLast: Bool { remaining == 1 }
}

/// A message for the user, shown with a step.
public struct Message: Hashable, Sendable, Codable {
    /// The severity of a message.
    public enum Level: String, Hashable, Sendable, Codable, CaseIterable {
        case info
        case error
    }

    /// The stable identifier of the message, for example `credentials.wrong`.
    public let code: String
    /// The severity, which determines how the message is displayed.
    public let level: Level
    /// The human-readable sentence.
    public let text: String
    /// The name of the node that the message belongs to, or `nil` if the message belongs to the whole step.
    public let node: String?

    /// Creates a message for the user.
    public init(code: String, level: Level, text: String, node: String? = nil) {
        self.code = code
        self.level = level
        self.text = text
        self.node = node
    }
}

/// An action that the user can take instead of answering.
public struct Action: Hashable, Sendable, Codable {
    /// The actions, each identified by its name on the wire.
    public enum Name: RawRepresentable, Hashable, Sendable, Codable, CaseIterable {
        case cancel
        case resend
        case back
        /// Starts a sign-up instead.
        case create
        /// Starts the reset of a forgotten password instead.
        case forgot
        /// Switches to the provider or second factor that the action's value identifies.
        case choose
        /// An action that this version does not support, which a client can receive from a newer daemon.
        case other(String)

        /// The actions that this version supports.
        public static let allCases: [Name] = [.cancel, .resend, .back, .create, .forgot, .choose]

        /// Parses a name, or returns `nil` if this version does not support the action.
        public init?(rawValue: String) {
            guard let name = Self.allCases.first(where: { $0.rawValue == rawValue }) else { return nil }
            self = name
        }

        /// The name on the wire.
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

        /// Whether the action is sent with a value.
        public var takesValue: Bool {
            switch self {
            case .cancel, .resend, .back, .create, .forgot, .other: false
            case .choose: true
            }
        }
    }

    /// The name of the action.
    public let name: Name
    /// The time from which the action is available, in milliseconds since 1970 UTC, or `nil` if it is available now.
    public let availableAt: Int64?

    /// Creates an action.
    public init(_ name: Name, availableAt: Int64? = nil) {
        self.name = name
        self.availableAt = availableAt
    }
}
