public import FlowModel
public import OAuth

/// `flow.start`: begins a flow that leaves a session and gives no token.
extension StartFlowRequest: BrokerMethod, WireObject {
    /// The answer: `{flow}`.
    public typealias Answer = Flow

    /// The parameters.
    public static let wire = WireMembers(
        Self.init,
        Member("policy", \.policy, .name),
        Member("input", \.input, .anyObject, unless: [:]),
        Member("account", optional: \.account, .id),
        Member("acrValues", \.acrValues, .acrValues, unless: []),
        Member("maxAge", optional: \.maxAge, .maxAge),
        Member("mode", \.mode, .word(AcquireRequest.Mode.self), unless: .native),
        Member("loopbackPort", optional: \.loopbackPort, .loopbackPort),
        Member("provider", optional: \.provider, .id),
        Member(
            "providerToken",
            .providerToken,
            write: { $0.providerToken.isEmpty ? nil : $0.providerToken.mapValues { $0.reveal() } },
            read: { ($0 ?? [:]).mapValues { Secret($0) } }
        ),
        Member("requestId", \.requestID, .name),
        Member("correlationId", optional: \.correlationID, .uuid)
    )

    /// Describes the method.
    public static let description = MethodDescription(
        "flow.start",
        "Begins a flow of a policy; it leaves a session, and token.acquire is silent after it.",
        wire.fields,
        answer: "flow",
        changesState: true,
        // A request id gives one flow.
        isRepeatable: true,
        // The longest wait for external servers: a provider's token may need a connector.
        deadline: ExternalWait.longest
    )
}

/// `flow.get`: a flow with its step; changes nothing.
public struct FlowGet: BrokerMethod, WireObject {
    /// The answer.
    public typealias Answer = Flow

    /// The parameters.
    public static let wire = WireMembers(Self.init(flow:), Member("flow", \.flow, .id))

    /// Describes the method.
    public static let description = MethodDescription(
        "flow.get",
        "Shows a flow with its step; changes nothing.",
        wire.fields,
        answer: "flow"
    )

    /// The flow's id.
    public let flow: String

    /// Asks for the flow `flow`.
    public init(flow: String) {
        self.flow = flow
    }
}

/// `flow.wait`: a flow as soon as its revision is newer than the caller's; changes nothing.
public struct FlowWait: BrokerMethod, WireObject {
    /// The answer.
    public typealias Answer = Flow

    /// The parameters.
    public static let wire = WireMembers(
        Self.init(flow:sinceRev:timeoutMs:),
        Member("flow", \.flow, .id),
        Member("sinceRev", optional: \.sinceRev, .integer(0...Int64.max)),
        Member("timeoutMs", \.timeoutMs, .integer(0...60_000), or: defaultTimeoutMs)
    )

    /// Describes the method.
    public static let description = MethodDescription(
        "flow.wait",
        "Shows a flow when it has changed, or as it is when the time is over.",
        wire.fields,
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
extension FlowSubmission: BrokerMethod, WireObject {
    /// The answer: `{flow, verdict, token?}`.
    public typealias Answer = FlowProgress

    /// The parameters.
    public static let wire = WireMembers(
        Self.init(flow:step:submissionID:answers:correlationID:),
        Member("flow", \.flow, .id),
        Member("step", \.step, .id),
        Member("submissionId", \.submissionID, .name),
        Member("answers", \.answers, .anyObject),
        Member("correlationId", optional: \.correlationID, .uuid)
    )

    /// Describes the method.
    public static let description = MethodDescription(
        "flow.submit",
        "Answers the open step of a flow; the same submissionId again is not evaluated again.",
        // The parameters; the members of `answers` are judged by the step (1006).
        wire.fields,
        changesState: true,
        // A submission id is evaluated once.
        isRepeatable: true,
        // The longest wait for external servers: the answer may need a connector.
        deadline: ExternalWait.longest
    )
}

extension FlowProgress: WireObject {
    /// The members on the wire.
    public static let wire = WireMembers(
        Self.init(flow:verdict:token:),
        Member("flow", \.flow),
        Member("verdict", \.verdict),
        Member("token", optional: \.token)
    )
}

/// `flow.action`: takes an action instead of answering the open step.
extension FlowAction: BrokerMethod, WireObject {
    /// The answer: `{flow}`.
    public typealias Answer = Flow

    /// The parameters.
    public static let wire = WireMembers(
        Self.init(flow:step:action:submissionID:value:correlationID:),
        Member("flow", \.flow, .id),
        Member("step", \.step, .id),
        Member("action", \.action, .name),
        Member("submissionId", \.submissionID, .name),
        Member("value", optional: \.value, .string(0...4096)),
        Member("correlationId", optional: \.correlationID, .uuid)
    )

    /// Describes the method.
    public static let description = MethodDescription(
        "flow.action",
        "Does something else than answering the open step: resend, back, choose, skip, forgot, create.",
        wire.fields,
        answer: "flow",
        changesState: true,
        // A submission id is done once.
        isRepeatable: true,
        // The longest wait for external servers: the answer may need a connector.
        deadline: ExternalWait.longest
    )
}

/// `flow.cancel`: ends a flow; on one that has ended, it answers its last state.
public struct FlowCancel: BrokerMethod, WireObject {
    /// The answer.
    public typealias Answer = Flow

    /// The parameters.
    public static let wire = WireMembers(
        Self.init(flow:reason:correlationID:),
        Member("flow", \.flow, .id),
        Member("reason", optional: \.reason, .string(1...256)),
        Member("correlationId", optional: \.correlationID, .uuid)
    )

    /// Describes the method.
    public static let description = MethodDescription(
        "flow.cancel",
        "Ends a flow; on one that has ended it changes nothing.",
        wire.fields,
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
}

extension Verdict: WireWord {}
