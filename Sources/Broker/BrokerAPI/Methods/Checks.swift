public import FlowModel
public import OAuth

/// `check.login`: starts a check before a request requires it.
public struct CheckLogin: BrokerMethod, WireObject {
    /// The response: the flow.
    public typealias Answer = Flow

    /// The parameters, as JSON members.
    public static let wire = WireMembers(
        Self.init(check:policy:account:credentials:submissionID:),
        Member("check", \.check, .name),
        Member("policy", optional: \.policy, .name),
        Member("account", optional: \.account, .id),
        Member("credentials", optional: \.credentials, .anyObject),
        Member("submissionId", optional: \.submissionID, .name)
    )

    /// The name, parameters, permission and limits of the method.
    public static let description = MethodDescription(
        "check.login",
        "Starts a flow for one check and submits the given credentials, if any, to its step.",
        wire.fields,
        answer: "flow",
        changesState: true,
        // Evaluating the credentials can require a call to a connector.
        deadline: ExternalWait.longest
    )

    /// Whether the call has a submission id and can therefore be repeated safely.
    public var isRepeatable: Bool { submissionID != nil }
    /// The name of the check in `checks.yaml`.
    public let check: String
    /// The policy, or `nil` for the policy last used to sign in to the account.
    public let policy: String?
    /// The opaque id of the account, or `nil` for the account that `token.acquire` would use.
    public let account: String?
    /// The answers to submit if the flow begins with the check's step, or `nil` to submit no answers.
    ///
    /// They can contain secrets.
    public let credentials: [String: JSONValue]?
    /// The caller's id for this call.
    ///
    /// A repeated call with the same id returns the same flow, and does not submit the answers again.
    public let submissionID: String?
}

/// `check.logout`: invalidates a check that the account's user has passed.
public struct CheckLogout: AccountCheckMethod {
    /// The name, parameters, permission and limits of the method.
    public static let description = MethodDescription(
        "check.logout",
        "Withdraws a check: tokens that require it are not issued until the user passes it again.",
        wire.fields,
        changesState: true,
        // A repeated call changes nothing, because the check no longer counts as passed.
        isRepeatable: true
    )

    /// The name of the check in `checks.yaml`.
    public let check: String
    /// The policy, or `nil` for the policy last used to sign in to the account.
    public let policy: String?
    /// The opaque id of the account, or `nil` for the account that `token.acquire` would use.
    public let account: String?

    /// Creates a call for one of an account's checks.
    public init(check: String, policy: String? = nil, account: String? = nil) {
        self.check = check
        self.policy = policy
        self.account = account
    }
}

/// `check.status`: returns the state of one check for an account.
public struct CheckStatusQuery: AccountCheckMethod {
    /// The name, parameters, permission and limits of the method.
    public static let description = MethodDescription(
        "check.status",
        "Returns whether a check is passed, blocked or neither; changes nothing.",
        wire.fields
    )

    /// The name of the check in `checks.yaml`.
    public let check: String
    /// The policy, or `nil` for the policy last used to sign in to the account.
    public let policy: String?
    /// The opaque id of the account, or `nil` for the account that `token.acquire` would use.
    public let account: String?

    /// Creates a call for one of an account's checks.
    public init(check: String, policy: String? = nil, account: String? = nil) {
        self.check = check
        self.policy = policy
        self.account = account
    }
}

/// A method that concerns one of an account's checks: `check.logout` or `check.status`.
public protocol AccountCheckMethod: BrokerMethod, WireObject where Answer == CheckStatus {
    /// The name of the check in `checks.yaml`.
    var check: String { get }
    /// The policy, or `nil` for the policy last used to sign in to the account.
    var policy: String? { get }
    /// The opaque id of the account, or `nil` for the account that `token.acquire` would use.
    var account: String? { get }

    /// Creates a call for one of an account's checks.
    init(check: String, policy: String?, account: String?)
}

extension AccountCheckMethod {
    /// The parameters, as JSON members.
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
    /// The JSON members, for reading and writing.
    public static let wire = WireMembers(
        Self.init(check:state:expiresAt:retryAfterMs:),
        Member("check", \.check),
        Member("state", \.state),
        Member("expiresAt", optional: \.expiresAt),
        Member("retryAfterMs", optional: \.retryAfterMs)
    )
}

extension CheckStatus.State: WireWord {}
