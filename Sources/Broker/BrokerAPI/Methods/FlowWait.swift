public import OAuth

/// `flow.wait`: a flow as soon as its revision is newer than the caller's; changes nothing.
public struct FlowWait: BrokerMethod {
    /// The answer.
    public typealias Answer = One<FlowDocument>

    /// The name on the wire.
    public static let name = "flow.wait"
    /// The sentence of `rpc.discover`.
    public static let summary = "Shows a flow when it has changed, or as it is when the time is over."
    /// The parameters.
    public static let fields: [Field] = [.requiredID("flow"), Field("sinceRev", .integer(0...Int64.max)), .timeout]

    /// The flow's id.
    public let flow: String
    /// The revision that the caller has; nil means the current one.
    public let sinceRev: Int64?
    /// The longest wait, in milliseconds.
    public let timeoutMs: Int64

    /// The wait of a call that names none, in milliseconds.
    public static let defaultTimeoutMs: Int64 = 30_000
    /// Five seconds more than the wait.
    public var deadline: Duration { .milliseconds(timeoutMs) + .seconds(5) }

    /// Waits for a change of the flow `flow`.
    public init(flow: String, sinceRev: Int64? = nil, timeoutMs: Int64 = FlowWait.defaultTimeoutMs) {
        self.flow = flow
        self.sinceRev = sinceRev
        self.timeoutMs = timeoutMs
    }

    /// Reads checked parameters.
    public init(_ members: Members) throws(JSONRPCError) {
        flow = try members.required("flow")
        sinceRev = members.int("sinceRev")
        timeoutMs = members.int("timeoutMs") ?? Self.defaultTimeoutMs
    }

    /// The parameters as they are written.
    public var params: [String: JSONValue] {
        var object = ObjectBuilder()
        object.set("flow", flow)
        object.set("sinceRev", sinceRev)
        object.set("timeoutMs", timeoutMs)
        return object.members
    }
}
