public import FlowModel
public import OAuth

extension StartFlowRequest: BrokerMethod, WireObject {
    /// The type of the response, which contains the flow.
    public typealias Answer = Flow

    /// The JSON members, which are used to read and write the parameters.
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

    /// The name, parameters, permission and limits of the method.
    public static let description = MethodDescription(
        "flow.start",
        "Starts a flow of a policy that creates a session; token.acquire then works without a prompt.",
        wire.fields,
        answer: "flow",
        changesState: true,
        // A repeated call with the same request id returns the same flow.
        isRepeatable: true,
        // Checking an identity provider's token can require a call to an external service.
        deadline: ExternalWait.longest
    )
}

/// The `flow.get` method, which returns a flow and its step without changing the flow.
public struct FlowGet: BrokerMethod, WireObject {
    /// The type of the response, which contains the flow.
    public typealias Answer = Flow

    /// The JSON members, which are used to read and write the parameters.
    public static let wire = WireMembers(Self.init(flow:), Member("flow", \.flow, .id))

    /// The name, parameters, permission and limits of the method.
    public static let description = MethodDescription(
        "flow.get",
        "Returns a flow with its step; changes nothing.",
        wire.fields,
        answer: "flow"
    )

    /// The id of the flow.
    public let flow: String

    /// Creates a call that returns the flow `flow`.
    public init(flow: String) {
        self.flow = flow
    }
}

/// The `flow.wait` method, which returns a flow when it has changed, or unchanged after the timeout.
public struct FlowWait: BrokerMethod, WireObject {
    /// The type of the response, which contains the flow.
    public typealias Answer = Flow

    /// The JSON members, which are used to read and write the parameters.
    public static let wire = WireMembers(
        Self.init(flow:sinceRev:timeoutMs:),
        Member("flow", \.flow, .id),
        Member("sinceRev", optional: \.sinceRev, .integer(0...Int64.max)),
        Member("timeoutMs", \.timeoutMs, .integer(0...60_000), or: defaultTimeoutMs)
    )

    /// The name, parameters, permission and limits of the method.
    public static let description = MethodDescription(
        "flow.wait",
        "Returns a flow when it has changed, or unchanged after the timeout.",
        wire.fields,
        answer: "flow"
    )

    /// The id of the flow.
    public let flow: String
    /// The revision that the caller already has, or `nil` to wait until the current revision changes.
    public let sinceRev: Int64?
    /// The maximum time to wait, in milliseconds.
    public let timeoutMs: Int64

    /// The default value of ``timeoutMs``.
    public static let defaultTimeoutMs: Int64 = 30_000
    /// The maximum duration of this call, which is ``timeoutMs`` plus five seconds.
    public var deadline: Duration { .milliseconds(timeoutMs) + .seconds(5) }

    /// Creates a call that waits for a change to the flow `flow`.
    public init(flow: String, sinceRev: Int64? = nil, timeoutMs: Int64 = FlowWait.defaultTimeoutMs) {
        self.flow = flow
        self.sinceRev = sinceRev
        self.timeoutMs = timeoutMs
    }
}

/// The `flow.list` method, which lists the caller's open flows.
public struct FlowList: BareMethod {
    /// The type of the response, which contains the flows.
    public typealias Answer = [Flow]

    /// The name, parameters, permission and limits of the method.
    public static let description = MethodDescription(
        "flow.list",
        "Lists the caller's open flows, without their steps.",
        answer: "flows"
    )

    /// Creates a call without parameters.
    public init() {}
}

extension FlowSubmission: BrokerMethod, WireObject {
    /// The type of the response, which contains the flow, the verdict and possibly a token.
    public typealias Answer = FlowProgress

    /// The JSON members, which are used to read and write the parameters.
    public static let wire = WireMembers(
        Self.init(flow:step:submissionID:answers:correlationID:),
        Member("flow", \.flow, .id),
        Member("step", \.step, .id),
        Member("submissionId", \.submissionID, .name),
        Member("answers", \.answers, .anyObject),
        Member("correlationId", optional: \.correlationID, .uuid)
    )

    /// The name, parameters, permission and limits of the method.
    public static let description = MethodDescription(
        "flow.submit",
        "Answers the open step of a flow; the same submissionId is not evaluated twice.",
        // The members of `answers` are validated later, by the open step (error 1006).
        wire.fields,
        changesState: true,
        // A repeated call with the same submission id is not evaluated again.
        isRepeatable: true,
        // Evaluating an answer can require a call to an external service.
        deadline: ExternalWait.longest
    )
}

extension FlowProgress: WireObject {
    /// The JSON members, which are used to read and write the value.
    public static let wire = WireMembers(
        Self.init(flow:verdict:token:),
        Member("flow", \.flow),
        Member("verdict", \.verdict),
        Member("token", optional: \.token)
    )
}

extension FlowAction: BrokerMethod, WireObject {
    /// The type of the response, which contains the flow.
    public typealias Answer = Flow

    /// The JSON members, which are used to read and write the parameters.
    public static let wire = WireMembers(
        Self.init(flow:step:action:submissionID:value:correlationID:),
        Member("flow", \.flow, .id),
        Member("step", \.step, .id),
        Member("action", \.action, .name),
        Member("submissionId", \.submissionID, .name),
        Member("value", optional: \.value, .string(0...4096)),
        Member("correlationId", optional: \.correlationID, .uuid)
    )

    /// The name, parameters, permission and limits of the method.
    public static let description = MethodDescription(
        "flow.action",
        "Takes an action instead of answering the open step: resend, back, choose, skip, forgot, create.",
        wire.fields,
        answer: "flow",
        changesState: true,
        // A repeated call with the same submission id does not perform the action again.
        isRepeatable: true,
        // The action can require a call to an external service.
        deadline: ExternalWait.longest
    )
}

/// The `flow.cancel` method, which cancels a flow, or returns it unchanged if it has already ended.
public struct FlowCancel: BrokerMethod, WireObject {
    /// The type of the response, which contains the flow.
    public typealias Answer = Flow

    /// The JSON members, which are used to read and write the parameters.
    public static let wire = WireMembers(
        Self.init(flow:reason:correlationID:),
        Member("flow", \.flow, .id),
        Member("reason", optional: \.reason, .string(1...256)),
        Member("correlationId", optional: \.correlationID, .uuid)
    )

    /// The name, parameters, permission and limits of the method.
    public static let description = MethodDescription(
        "flow.cancel",
        "Cancels a flow; changes nothing if it has already ended.",
        wire.fields,
        answer: "flow",
        changesState: true,
        // A repeated call changes nothing, because a flow can end only once.
        isRepeatable: true
    )

    /// The id of the flow.
    public let flow: String
    /// The reason to record in the audit log, or `nil` to record no reason.
    public let reason: String?
    /// The UUID that the caller assigns to this call, or `nil` to generate a UUID.
    public let correlationID: CorrelationID?

    /// Creates a call that cancels the flow `flow`.
    public init(flow: String, reason: String? = nil, correlationID: CorrelationID? = nil) {
        self.flow = flow
        self.reason = reason
        self.correlationID = correlationID
    }
}

extension Verdict: WireWord {}
