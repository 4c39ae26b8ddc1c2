public import JSONRPC
public import OAuth

/// `flow.cancel`: ends a flow; again and again, it answers what it ended as.
public struct FlowCancel: BrokerMethod {
    /// The answer.
    public typealias Answer = One<FlowDocument>

    /// The name on the wire.
    public static let name = "flow.cancel"
    /// The sentence of `rpc.discover`.
    public static let summary = "Ends a flow; on one that has ended it changes nothing."
    /// The parameters.
    public static let fields: [Field] = [.requiredID("flow"), Field("reason", .string(1...256)), .correlationID]
    /// A call changes something.
    public static var changesState: Bool { true }
    /// A flow ends once.
    public var isRepeatable: Bool { true }

    /// The flow.
    public let flow: String
    /// Why, for the audit.
    public let reason: String?
    /// The caller's UUID for this call.
    public let correlationID: CorrelationID?

    /// A call.
    public init(flow: String, reason: String? = nil, correlationID: CorrelationID? = nil) {
        self.flow = flow
        self.reason = reason
        self.correlationID = correlationID
    }

    /// A call, from checked parameters.
    public init(_ members: Members) throws(JSONRPCError) {
        flow = try members.required("flow")
        reason = members.string("reason")
        correlationID = try members.correlationID()
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
