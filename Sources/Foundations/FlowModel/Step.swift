public import OAuth

/// A step of a flow: a prompt to the user.
public struct Step: Hashable, Sendable {
    /// The step's id: `st_` and 22 characters (only one answer with this id is evaluated).
    public let id: String
    /// The kind of step.
    ///
    /// A client that does not support this kind renders ``nodes`` instead.
    public let type: StepType
    /// The name of the step's check in `checks.yaml`, or `nil` if the step does not belong to a check.
    public let check: String?
    /// The human-readable heading.
    public let title: String
    /// The fields of the step.
    public let nodes: [Node]
    /// The remaining attempts, or `nil` if they are not limited.
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
/// Any name is valid: a client renders an unknown kind of step from its nodes. This type declares constants for the
/// kinds that clients or other targets refer to.
public struct StepType: RawRepresentable, Hashable, Sendable, Codable {
    /// The name on the wire.
    public let rawValue: String

    /// Creates a kind of step from its name.
    public init(rawValue: String) {
        self.rawValue = rawValue
    }

    /// Any step, rendered from its nodes (used only by clients, to declare which steps they can display).
    public static let form = StepType(rawValue: "form")
    /// The attributes and the password of a new account.
    public static let attributes = StepType(rawValue: "attributes")
    /// A sign-in name only.
    ///
    /// A step that prompts for a code follows.
    public static let identifier = StepType(rawValue: "identifier")
    /// A sign-in name and a password.
    public static let password = StepType(rawValue: "password")
    /// The old password and a new one, on the user's account page.
    public static let passwordChange = StepType(rawValue: "password_change")
    /// A new password for a user who is already identified.
    public static let newPassword = StepType(rawValue: "new_password")
    /// The attributes that a user may change.
    public static let profile = StepType(rawValue: "profile")
    /// A code that was sent to the user.
    public static let code = StepType(rawValue: "code")
    /// The PIN that the user set for this uid.
    public static let pin = StepType(rawValue: "pin")
    /// A new PIN.
    public static let pinSetup = StepType(rawValue: "pin_setup")
    /// A code from the user's authenticator app.
    public static let totp = StepType(rawValue: "totp")
    /// The setup of an authenticator app.
    public static let totpSetup = StepType(rawValue: "totp_setup")
    /// The recovery codes for a newly set up authenticator app.
    public static let recoveryCodes = StepType(rawValue: "recovery_codes")
    /// A step defined by a custom identity provider.
    public static let external = StepType(rawValue: "external")
    /// An assertion that a custom identity provider has signed.
    public static let assertion = StepType(rawValue: "assertion")
    /// The user's consent to a client.
    public static let consent = StepType(rawValue: "consent")
    /// The redirect of the browser to an external provider, where the user signs in.
    public static let provider = StepType(rawValue: "provider")
}

/// The remaining attempts at a step.
public struct AttemptsLeft: Hashable, Sendable, Codable {
    /// The number of attempts left before the check is blocked.
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

    /// The stable key, for example `credentials.wrong`.
    public let code: String
    /// The severity, which determines how the message is displayed.
    public let level: Level
    /// The human-readable sentence.
    public let text: String
    /// The node that the message belongs to, or `nil` if the message belongs to the whole step.
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
    /// The actions, as named on the wire.
    public enum Name: RawRepresentable, Hashable, Sendable, Codable, CaseIterable {
        case cancel
        case resend
        /// Return to the previous step.
        case back
        /// Sign up instead.
        case create
        /// Reset a forgotten password instead.
        case forgot
        /// Switch to another provider or second factor, given by the action's value.
        case choose
        /// An action from a newer version. Only clients can receive such an action.
        case other(String)

        /// The actions that this version supports.
        public static let allCases: [Name] = [.cancel, .resend, .back, .create, .forgot, .choose]

        /// Parses a name, or returns `nil` for an action that this version does not support.
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

        /// Whether the action takes a value.
        public var takesValue: Bool {
            switch self {
            case .cancel, .resend, .back, .create, .forgot, .other: false
            case .choose: true
            }
        }
    }

    /// The name on the wire.
    public let name: Name
    /// The time from which the action is available, in milliseconds since 1970 UTC, or `nil` if it is available now.
    public let availableAt: Int64?

    /// Creates an action.
    public init(_ name: Name, availableAt: Int64? = nil) {
        self.name = name
        self.availableAt = availableAt
    }
}
