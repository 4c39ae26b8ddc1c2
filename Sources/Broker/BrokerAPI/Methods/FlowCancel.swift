public import OAuth

/// `flow.cancel`: ends a flow; on one that has ended, it answers its last state.
public struct FlowCancel: BrokerMethod {
    /// The answer.
    public typealias Answer = One<FlowDocument>

    /// The name on the wire.
    public static let name = "flow.cancel"
    /// The sentence of `rpc.discover`.
    public static let summary = "Ends a flow; on one that has ended it changes nothing."
    /// The parameters.
    public static let fields: [Field] = [.requiredID("flow"), Field("reason", .string(1...256)), .correlationID]
    /// True: a call changes state.
    public static var changesState: Bool { true }
    /// True: a flow ends once.
    public var isRepeatable: Bool { true }

    /// The flow's id.
    public let flow: String
    /// The reason, for the audit.
    public let reason: String?
    /// The caller's UUID for this call.
    public let correlationID: CorrelationID?

    /// Ends the flow `flow`.
    public init(flow: String, reason: String? = nil, correlationID: CorrelationID? = nil) {
        self.flow = flow
        self.reason = reason
        self.correlationID = correlationID
    }

    /// Reads checked parameters.
    public init(_ members: Members) throws(JSONRPCError) {
        flow = try members.required("flow")
        reason = members.string("reason")
        correlationID = members.correlationID()
    }

    /// The parameters as they are written.
    public var params: [String: JSONValue] {
        var object = ObjectBuilder()
        object.set("flow", flow)
        object.set("reason", reason)
        object.set("correlationId", correlationID?.description)
        return object.members
    }
}
