public import JSONRPC
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
    public static let fields: [Field] = [.requiredID("flow"), Field("sinceRev", .integer(0...Int64.max)), .timeout]

    /// The flow.
    public let flow: String

    /// A call.
    public init(flow: String) {
        self.flow = flow
    }

    /// A call, from checked parameters; `sinceRev` and `timeoutMs` are accepted and mean nothing here.
    public init(_ members: Members) throws(JSONRPCError) {
        flow = try members.required("flow")
    }

    /// The parameters as they are written.
    public var params: [String: JSONValue] { ["flow": .string(flow)] }
}

extension Field {
    /// How long to wait, in milliseconds: a minute at most.
    static let timeout = Field("timeoutMs", .integer(0...60_000))
}
