public import JSONRPC
public import OAuth

/// `flow.start`: begins a flow that leaves a session and gives no token.
public struct FlowStart: BrokerMethod {
    /// What it answers.
    public typealias Answer = One<FlowDocument>

    /// On the wire.
    public static let name = "flow.start"
    /// For `rpc.discover`.
    public static let summary = "Begins a flow of a policy; it leaves a session, and token.acquire is silent after it."
    /// The parameters.
    public static let fields: [Field] = [
        .required("policy", .string(1...64)), Field("input", .anyObject), .id("account"),
        .acrValues, .maxAge, .required("requestId", .string(1...64)), .correlationID,
    ]
    /// It changes something.
    public static var changesState: Bool { true }
    /// By its request id.
    public var isRepeatable: Bool { true }
    /// Half a minute, since a mail or a provider may stand at the beginning.
    public var deadline: Duration { .seconds(30) }

    /// The policy to run.
    public let policy: String
    /// What fields hold at the beginning.
    public let input: [String: JSONValue]
    /// The account that it concerns.
    public let account: String?
    /// Authentication contexts of which one must be reached.
    public let acrValues: [String]
    /// How many seconds ago the person may have proved who they are.
    public let maxAge: Int64?
    /// The caller's name for this request; the same one again gives the same flow.
    public let requestID: String
    /// The caller's UUID for this call.
    public let correlationID: CorrelationID?

    /// A call.
    public init(
        policy: String,
        input: [String: JSONValue] = [:],
        account: String? = nil,
        acrValues: [String] = [],
        maxAge: Int64? = nil,
        requestID: String,
        correlationID: CorrelationID? = nil
    ) {
        self.policy = policy
        self.input = input
        self.account = account
        self.acrValues = acrValues
        self.maxAge = maxAge
        self.requestID = requestID
        self.correlationID = correlationID
    }

    /// A call, from checked parameters.
    public init(_ members: Members) throws(JSONRPCError) {
        policy = try members.required("policy")
        input = members.object("input") ?? [:]
        account = members.string("account")
        acrValues = members.strings("acrValues")
        maxAge = members.int("maxAge")
        requestID = try members.required("requestId")
        correlationID = try members.correlationID()
    }

    /// The parameters as they are written.
    public var params: [String: JSONValue] {
        var object = ObjectBuilder()
        object.set("policy", policy)
        if !input.isEmpty { object.set("input", .object(input)) }
        object.set("account", account)
        object.set("acrValues", unlessEmpty: acrValues)
        object.set("maxAge", maxAge)
        object.set("requestId", requestID)
        object.set("correlationId", correlationID?.description)
        return object.members
    }
}
