public import FlowModel
public import OAuth

/// `flow.start`: begins a flow that leaves a session and gives no token.
extension StartFlowRequest: BrokerMethod {
    /// The answer: `{flow}`.
    public typealias Answer = One<FlowDocument>

    /// The name on the wire.
    public static let name = "flow.start"
    /// The sentence of `rpc.discover`.
    public static let summary = "Begins a flow of a policy; it leaves a session, and token.acquire is silent after it."
    /// The parameters.
    public static let fields: [Field] = [
        .required("policy", .string(1...64)), Field("input", .anyObject), .id("account"),
        .acrValues, .maxAge, Field("mode", .choice(AcquireRequest.Mode.allCases.map(\.rawValue))), .loopbackPort,
        .id("provider"), .providerToken, .required("requestId", .string(1...64)), .correlationID,
    ]
    /// True: it makes a flow.
    public static var changesState: Bool { true }
    /// True: a request id gives one flow.
    public var isRepeatable: Bool { true }
    /// Half a minute, since it may have to wait for mail or a provider.
    public var deadline: Duration { .seconds(30) }

    /// Reads checked parameters.
    public init(_ members: Members) throws(JSONRPCError) {
        self.init(
            policy: try members.required("policy"),
            input: members.object("input") ?? [:],
            account: members.string("account"),
            acrValues: members.strings("acrValues"),
            maxAge: members.int("maxAge"),
            mode: members.choice("mode", AcquireRequest.Mode.self) ?? .native,
            loopbackPort: members.int("loopbackPort").map { UInt16(clamping: $0) },
            provider: members.string("provider"),
            providerToken: members.map("providerToken").mapValues { Secret($0) },
            requestID: try members.required("requestId"),
            correlationID: members.correlationID()
        )
    }

    /// The parameters as they are written.
    public var params: [String: JSONValue] {
        var object = ObjectBuilder()
        object.set("policy", policy)
        if !input.isEmpty { object.set("input", .object(input)) }
        object.set("account", account)
        object.set("acrValues", unlessEmpty: acrValues)
        object.set("maxAge", maxAge)
        if mode != .native { object.set("mode", mode.rawValue) }
        object.set("loopbackPort", loopbackPort.map { Int64($0) })
        object.set("provider", provider)
        object.set("providerToken", secrets: providerToken)
        object.set("requestId", requestID)
        object.set("correlationId", correlationID?.description)
        return object.members
    }
}
