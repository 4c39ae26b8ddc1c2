public import FlowModel
public import OAuth

/// `check.login`: asks for one check before anything else does.
public struct CheckLogin: BrokerMethod {
    /// The answer.
    public typealias Answer = Flow

    /// Describes the method.
    public static let description = MethodDescription(
        "check.login",
        "Begins a flow for one check; credentials answer its step at once.",
        [
            .required("check", .string(1...64)), .policy, .id("account"), Field("credentials", .anyObject),
            .token("submissionId"),
        ],
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

    /// A call.
    public init(
        check: String,
        policy: String? = nil,
        account: String? = nil,
        credentials: [String: JSONValue]? = nil,
        submissionID: String? = nil
    ) {
        self.check = check
        self.policy = policy
        self.account = account
        self.credentials = credentials
        self.submissionID = submissionID
    }

    /// Reads checked parameters.
    public init(_ members: Members) throws(JSONRPCError) {
        check = try members.required("check")
        policy = members.string("policy")
        account = members.string("account")
        credentials = members.object("credentials")
        submissionID = members.string("submissionId")
    }

    /// The parameters as they are written.
    public var params: [String: JSONValue] {
        var object = ObjectBuilder()
        object.set("check", check)
        object.set("policy", policy)
        object.set("account", account)
        object.set("credentials", credentials.map(JSONValue.object))
        object.set("submissionId", submissionID)
        return object.members
    }
}

/// `check.logout`: ends one check of an account.
public struct CheckLogout: AccountCheckMethod {
    /// Describes the method.
    public static let description = MethodDescription(
        "check.logout",
        "Ends a check: what asks for it is not granted until it is proved again.",
        fields,
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
        fields
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
public protocol AccountCheckMethod: BrokerMethod where Answer == CheckStatus {
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
    public static var fields: [Field] { [.required("check", .string(1...64)), .policy, .id("account")] }

    /// Reads checked parameters.
    public init(_ members: Members) throws(JSONRPCError) {
        self.init(
            check: try members.required("check"),
            policy: members.string("policy"),
            account: members.string("account")
        )
    }

    /// The parameters as they are written.
    public var params: [String: JSONValue] {
        var object = ObjectBuilder()
        object.set("check", check)
        object.set("policy", policy)
        object.set("account", account)
        return object.members
    }
}

extension CheckStatus: WireValue {
    /// Reads a state.
    public init(_ reader: WireReader) throws(UnreadableAnswer) {
        guard let state = State(rawValue: try reader.string("state")) else { throw UnreadableAnswer("state") }
        self.init(
            check: try reader.string("check"),
            state: state,
            expiresAt: reader.value["expiresAt"]?.int,
            retryAfterMs: reader.value["retryAfterMs"]?.int
        )
    }

    /// The state as it is written.
    public var json: JSONValue {
        var object = ObjectBuilder()
        object.set("check", check)
        object.set("state", state.rawValue)
        object.set("expiresAt", expiresAt)
        object.set("retryAfterMs", retryAfterMs)
        return object.json
    }
}
