import FlowModel
public import OAuth

/// `check.login`: asks for one check before anything else does.
public struct CheckLogin: BrokerMethod {
    /// The answer.
    public typealias Answer = One<FlowDocument>

    /// The name on the wire.
    public static let name = "check.login"
    /// The sentence of `rpc.discover`.
    public static let summary = "Begins a flow for one check; credentials answer its step at once."
    /// The parameters.
    public static let fields: [Field] = [
        .required("check", .string(1...64)), .policy, .id("account"), Field("credentials", .anyObject),
        .token("submissionId"),
    ]
    /// True: it begins a flow, or ends a check.
    public static var changesState: Bool { true }
    /// True for a call that has a name.
    public var isRepeatable: Bool { submissionID != nil }
    /// The longest wait for external servers: the credentials may need a connector.
    public var deadline: Duration { ExternalWait.longest }

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
