public import FlowModel
public import OAuth

/// `flow.action`: takes an action instead of answering the open step.
extension FlowAction: BrokerMethod {
    /// The answer: `{flow}`.
    public typealias Answer = One<FlowDocument>

    /// The name on the wire.
    public static let name = "flow.action"
    /// The sentence of `rpc.discover`.
    public static let summary =
        "Does something else than answering the open step: resend, back, choose, skip, forgot, create."
    /// The parameters.
    public static let fields: [Field] = [
        .requiredID("flow"), .requiredID("step"), .required("action", .string(1...64)),
        .required("submissionId", .string(1...64)), Field("value", .string(0...4096)), .correlationID,
    ]
    /// True: it changes the flow.
    public static var changesState: Bool { true }
    /// True: a submission id is done once.
    public var isRepeatable: Bool { true }
    /// The longest wait for external servers: the answer may need a connector.
    public var deadline: Duration { ExternalWait.longest }

    /// Reads checked parameters.
    public init(_ members: Members) throws(JSONRPCError) {
        self.init(
            flow: try members.required("flow"),
            step: try members.required("step"),
            action: try members.required("action"),
            submissionID: try members.required("submissionId"),
            value: members.string("value"),
            correlationID: members.correlationID()
        )
    }

    /// The parameters as they are written.
    public var params: [String: JSONValue] {
        var object = ObjectBuilder()
        object.set("flow", flow)
        object.set("step", step)
        object.set("action", action)
        object.set("submissionId", submissionID)
        object.set("value", value)
        object.set("correlationId", correlationID?.description)
        return object.members
    }
}
