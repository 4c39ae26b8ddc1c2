public import FlowModel
public import OAuth

/// The `check.login` method, which starts a check in advance, before a token request requires the check.
public struct CheckLogin: BrokerMethod, WireObject {
    /// The type of the response, which contains the flow.
    public typealias Answer = Flow

    /// The JSON members, which are used to read and write the parameters.
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
        // Evaluating the credentials can require a call to an external service.
        deadline: ExternalWait.longest
    )

    /// Whether the call has a submission id and can therefore be repeated safely.
    public var isRepeatable: Bool { submissionID != nil }
    /// The name of the check in `checks.yaml`.
    public let check: String
    /// The policy, or `nil` to use the policy with which the user last signed in to the account.
    public let policy: String?
    /// The opaque id of the account, or `nil` to use the caller's only or default local account.
    public let account: String?
    /// The answers, possibly secrets, to submit if the flow begins with the check's step, or `nil` to submit none.
    public let credentials: [String: JSONValue]?
    /// The id that lets a repeated call return the same flow without submitting again, or `nil` if it is not repeated.
    public let submissionID: String?
}

/// The `check.logout` method, which resets a check so that the check no longer counts as passed.
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
    /// The policy, or `nil` to use the policy with which the user last signed in to the account.
    public let policy: String?
    /// The opaque id of the account, or `nil` to use the caller's only or default local account.
    public let account: String?

    /// Creates a call that acts on one of an account's checks.
    public init(check: String, policy: String? = nil, account: String? = nil) {
        self.check = check
        self.policy = policy
        self.account = account
    }
}

/// The `check.status` method, which returns the state of one of an account's checks.
public struct CheckStatusQuery: AccountCheckMethod {
    /// The name, parameters, permission and limits of the method.
    public static let description = MethodDescription(
        "check.status",
        "Returns whether a check is passed, blocked or neither; changes nothing.",
        wire.fields
    )

    /// The name of the check in `checks.yaml`.
    public let check: String
    /// The policy, or `nil` to use the policy with which the user last signed in to the account.
    public let policy: String?
    /// The opaque id of the account, or `nil` to use the caller's only or default local account.
    public let account: String?

    /// Creates a call that acts on one of an account's checks.
    public init(check: String, policy: String? = nil, account: String? = nil) {
        self.check = check
        self.policy = policy
        self.account = account
    }
}

/// A method that acts on one of an account's checks: `check.logout` or `check.status`.
public protocol AccountCheckMethod: BrokerMethod, WireObject where Answer == CheckStatus {
    var check: String { get }
    /// The policy, or `nil` to use the policy with which the user last signed in to the account.
    var policy: String? { get }
    /// The opaque id of the account, or `nil` to use the caller's only or default local account.
    var account: String? { get }

    init(check: String, policy: String?, account: String?)
}

extension AccountCheckMethod {
    /// The JSON members, which are used to read and write the parameters.
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
    /// The JSON members, which are used to read and write the value.
    public static let wire = WireMembers(
        Self.init(check:state:expiresAt:retryAfterMs:),
        Member("check", \.check),
        Member("state", \.state),
        Member("expiresAt", optional: \.expiresAt),
        Member("retryAfterMs", optional: \.retryAfterMs)
    )
}

extension CheckStatus.State: WireWord {}
