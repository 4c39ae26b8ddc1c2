public import OAuth

/// `flow.get`: a flow with its step; changes nothing.
public struct FlowGet: BrokerMethod {
    /// The answer.
    public typealias Answer = One<FlowDocument>

    /// The name on the wire.
    public static let name = "flow.get"
    /// The sentence of `rpc.discover`.
    public static let summary = "Shows a flow with its step; changes nothing."
    /// The parameters.
    public static let fields: [Field] = [.requiredID("flow")]

    /// The flow's id.
    public let flow: String

    /// Asks for the flow `flow`.
    public init(flow: String) {
        self.flow = flow
    }

    /// Reads checked parameters.
    public init(_ members: Members) throws(JSONRPCError) {
        flow = try members.required("flow")
    }

    /// The parameters as they are written.
    public var params: [String: JSONValue] { ["flow": .string(flow)] }
}

extension Field {
    /// The longest wait, in milliseconds; at most a minute.
    static let timeout = Field("timeoutMs", .integer(0...60_000))
}
