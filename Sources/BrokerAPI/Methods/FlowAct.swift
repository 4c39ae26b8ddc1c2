public import JSONRPC
public import OAuth

/// `flow.action`: does something else than answering the open step.
public struct FlowAct: BrokerMethod {
    /// What it answers.
    public typealias Answer = One<FlowDocument>

    /// On the wire.
    public static let name = "flow.action"
    /// For `rpc.discover`.
    public static let summary =
        "Does something else than answering the open step: resend, back, choose, skip, forgot, create."
    /// The parameters.
    public static let fields: [Field] = [
        .requiredID("flow"), .requiredID("step"), .required("action", .string(1...64)),
        .required("submissionId", .string(1...64)), Field("value", .string(0...4096)), .correlationID,
    ]
    /// It changes something.
    public static var changesState: Bool { true }
    /// By its submission id.
    public var isRepeatable: Bool { true }
    /// Five seconds more than an evaluation may take.
    public var deadline: Duration { .seconds(25) }

    /// The flow.
    public let flow: String
    /// Its open step.
    public let step: String
    /// What to do.
    public let action: String
    /// The caller's random name for this action.
    public let submissionID: String
    /// What is chosen.
    public let value: String?
    /// The caller's UUID for this call.
    public let correlationID: CorrelationID?

    /// A call.
    public init(
        flow: String,
        step: String,
        action: String,
        submissionID: String,
        value: String? = nil,
        correlationID: CorrelationID? = nil
    ) {
        self.flow = flow
        self.step = step
        self.action = action
        self.submissionID = submissionID
        self.value = value
        self.correlationID = correlationID
    }

    /// A call, from checked parameters.
    public init(_ members: Members) throws(JSONRPCError) {
        flow = try members.required("flow")
        step = try members.required("step")
        action = try members.required("action")
        submissionID = try members.required("submissionId")
        value = members.string("value")
        correlationID = try members.correlationID()
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
