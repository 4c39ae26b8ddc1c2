public import FlowModel
public import OAuth

/// `flow.start`: begins a flow that leaves a session and gives no token.
extension StartFlowRequest: BrokerMethod {
    /// The answer: `{flow}`.
    public typealias Answer = Flow

    /// Describes the method.
    public static let description = MethodDescription(
        "flow.start",
        "Begins a flow of a policy; it leaves a session, and token.acquire is silent after it.",
        [
            .required("policy", .string(1...64)), Field("input", .anyObject), .id("account"),
            .acrValues, .maxAge, Field("mode", .choice(AcquireRequest.Mode.allCases.map(\.rawValue))), .loopbackPort,
            .id("provider"), .providerToken, .required("requestId", .string(1...64)), .correlationID,
        ],
        answer: "flow",
        changesState: true,
        // A request id gives one flow.
        isRepeatable: true,
        // Half a minute, since it may have to wait for mail or a provider.
        deadline: .seconds(30)
    )

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

/// `flow.get`: a flow with its step; changes nothing.
public struct FlowGet: BrokerMethod {
    /// The answer.
    public typealias Answer = Flow

    /// Describes the method.
    public static let description = MethodDescription(
        "flow.get",
        "Shows a flow with its step; changes nothing.",
        [.requiredID("flow")],
        answer: "flow"
    )

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

/// `flow.wait`: a flow as soon as its revision is newer than the caller's; changes nothing.
public struct FlowWait: BrokerMethod {
    /// The answer.
    public typealias Answer = Flow

    /// Describes the method.
    public static let description = MethodDescription(
        "flow.wait",
        "Shows a flow when it has changed, or as it is when the time is over.",
        [.requiredID("flow"), Field("sinceRev", .integer(0...Int64.max)), .timeout],
        answer: "flow"
    )

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

/// `flow.list`: the caller's open flows.
public struct FlowList: BareMethod {
    /// The answer.
    public typealias Answer = [Flow]

    /// Describes the method.
    public static let description = MethodDescription(
        "flow.list",
        "Lists the caller's open flows, without their steps.",
        answer: "flows"
    )

    /// A call without parameters.
    public init() {}
}

/// `flow.submit`: answers the open step.
extension FlowSubmission: BrokerMethod {
    /// The answer: `{flow, verdict, token?}`.
    public typealias Answer = FlowProgress

    /// Describes the method.
    public static let description = MethodDescription(
        "flow.submit",
        "Answers the open step of a flow; the same submissionId again is not evaluated again.",
        // The parameters; the members of `answers` are judged by the step (1006).
        [
            .requiredID("flow"), .requiredID("step"), .required("submissionId", .string(1...64)),
            .required("answers", .anyObject), .correlationID,
        ],
        changesState: true,
        // A submission id is evaluated once.
        isRepeatable: true,
        // The longest wait for external servers: the answer may need a connector.
        deadline: ExternalWait.longest
    )

    /// Reads checked parameters.
    public init(_ members: Members) throws(JSONRPCError) {
        self.init(
            flow: try members.required("flow"),
            step: try members.required("step"),
            submissionID: try members.required("submissionId"),
            answers: members.object("answers") ?? [:],
            correlationID: members.correlationID()
        )
    }

    /// The parameters as they are written.
    public var params: [String: JSONValue] {
        var object = ObjectBuilder()
        object.set("flow", flow)
        object.set("step", step)
        object.set("submissionId", submissionID)
        object.set("answers", .object(answers))
        object.set("correlationId", correlationID?.description)
        return object.members
    }
}

extension FlowProgress: WireValue {
    /// Reads an answer.
    public init(_ reader: WireReader) throws(UnreadableAnswer) {
        guard let verdict = Verdict(rawValue: try reader.string("verdict")) else { throw UnreadableAnswer("verdict") }
        self.init(flow: try reader.one("flow"), verdict: verdict, token: try reader.optional("token"))
    }

    /// The answer as it is written.
    public var json: JSONValue {
        var object = ObjectBuilder()
        object.set("flow", flow.json)
        object.set("verdict", verdict.rawValue)
        object.set("token", token?.json)
        return object.json
    }
}

/// `flow.action`: takes an action instead of answering the open step.
extension FlowAction: BrokerMethod {
    /// The answer: `{flow}`.
    public typealias Answer = Flow

    /// Describes the method.
    public static let description = MethodDescription(
        "flow.action",
        "Does something else than answering the open step: resend, back, choose, skip, forgot, create.",
        [
            .requiredID("flow"), .requiredID("step"), .required("action", .string(1...64)),
            .required("submissionId", .string(1...64)), Field("value", .string(0...4096)), .correlationID,
        ],
        answer: "flow",
        changesState: true,
        // A submission id is done once.
        isRepeatable: true,
        // The longest wait for external servers: the answer may need a connector.
        deadline: ExternalWait.longest
    )

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

/// `flow.cancel`: ends a flow; on one that has ended, it answers its last state.
public struct FlowCancel: BrokerMethod {
    /// The answer.
    public typealias Answer = Flow

    /// Describes the method.
    public static let description = MethodDescription(
        "flow.cancel",
        "Ends a flow; on one that has ended it changes nothing.",
        [.requiredID("flow"), Field("reason", .string(1...256)), .correlationID],
        answer: "flow",
        changesState: true,
        // A flow ends once.
        isRepeatable: true
    )

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
