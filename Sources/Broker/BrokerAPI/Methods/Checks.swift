public import FlowModel
public import OAuth

/// `check.login`: asks for one check before anything else does.
public struct CheckLogin: BrokerMethod, WireObject {
    /// The answer.
    public typealias Answer = Flow

    /// The parameters.
    public static let wire = WireMembers(
        Self.init(check:policy:account:credentials:submissionID:),
        Member("check", \.check, .name),
        Member("policy", optional: \.policy, .name),
        Member("account", optional: \.account, .id),
        Member("credentials", optional: \.credentials, .anyObject),
        Member("submissionId", optional: \.submissionID, .name)
    )

    /// Describes the method.
    public static let description = MethodDescription(
        "check.login",
        "Begins a flow for one check; credentials answer its step at once.",
        wire.fields,
        answer: "flow",
        changesState: true,
        // The longest wait for external servers: the credentials may need a connector.
        deadline: ExternalWait.longest
    )

    /// True for a call that has a name.
    public var isRepeatable: Bool { submissionID != nil }
    /// The name of the check in `checks.yaml`.
    public let check: String
    /// The policy; nil for the one that the account signed in with.
    public let policy: String?
    /// The account, by its opaque id; nil for the one that is meant.
    public let account: String?
    /// Answers to the check's step, taken if that is what is asked first; they may hold secrets.
    public let credentials: [String: JSONValue]?
    /// The name of this call; the same one gives the same flow and is evaluated once.
    public let submissionID: String?
}

/// `check.logout`: ends one check of an account.
public struct CheckLogout: AccountCheckMethod {
    /// Describes the method.
    public static let description = MethodDescription(
        "check.logout",
        "Ends a check: what asks for it is not granted until it is proved again.",
        wire.fields,
        changesState: true,
        // A repetition finds nothing left to end.
        isRepeatable: true
    )

    /// The name of the check in `checks.yaml`.
    public let check: String
    /// The policy; nil for the one that the account signed in with.
    public let policy: String?
    /// The account, by its opaque id; nil for the one that is meant.
    public let account: String?

    /// A call.
    public init(check: String, policy: String? = nil, account: String? = nil) {
        self.check = check
        self.policy = policy
        self.account = account
    }
}

/// `check.status`: the state of one check for an account.
public struct CheckStatusQuery: AccountCheckMethod {
    /// Describes the method.
    public static let description = MethodDescription(
        "check.status",
        "Says whether a check is proved, blocked or neither; changes nothing.",
        wire.fields
    )

    /// The name of the check in `checks.yaml`.
    public let check: String
    /// The policy; nil for the one that the account signed in with.
    public let policy: String?
    /// The account, by its opaque id; nil for the one that is meant.
    public let account: String?

    /// A call.
    public init(check: String, policy: String? = nil, account: String? = nil) {
        self.check = check
        self.policy = policy
        self.account = account
    }
}

/// A method about one check of an account: `check.logout` or `check.status`.
public protocol AccountCheckMethod: BrokerMethod, WireObject where Answer == CheckStatus {
    /// The name of the check in `checks.yaml`.
    var check: String { get }
    /// The policy; nil for the one that the account signed in with.
    var policy: String? { get }
    /// The account, by its opaque id; nil for the one that is meant.
    var account: String? { get }

    /// A call.
    init(check: String, policy: String?, account: String?)
}

extension AccountCheckMethod {
    /// The parameters.
    public static var wire: WireMembers<Self> {
        WireMembers(
            Self.init(check:policy:account:),
            Member("check", \.check, .name),
            Member("policy", optional: \.policy, .name),
            Member("account", optional: \.account, .id)
        )
    }
}

extension CheckStatus: WireObject {
    /// The members on the wire.
    public static let wire = WireMembers(
        Self.init(check:state:expiresAt:retryAfterMs:),
        Member("check", \.check),
        Member("state", \.state),
        Member("expiresAt", optional: \.expiresAt),
        Member("retryAfterMs", optional: \.retryAfterMs)
    )
}

extension CheckStatus.State: WireWord {}
