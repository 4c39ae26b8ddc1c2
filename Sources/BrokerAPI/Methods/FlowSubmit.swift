public import FlowModel
public import JSONRPC
public import OAuth

/// `flow.submit`: answers the open step.
public struct FlowSubmit: BrokerMethod {
    /// On the wire.
    public static let name = "flow.submit"
    /// For `rpc.discover`.
    public static let summary = "Answers the open step of a flow; the same submissionId again is not evaluated again."
    /// The parameters; what stands inside of `answers` is judged by the step (1006).
    public static let fields: [Field] = [
        .requiredID("flow"), .requiredID("step"), .required("submissionId", .string(1...64)),
        .required("answers", .anyObject), .correlationID,
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
    /// The caller's random name for this answer.
    public let submissionID: String
    /// The answers by node; they may hold secrets.
    public let answers: [String: JSONValue]
    /// The caller's UUID for this call.
    public let correlationID: CorrelationID?

    /// A call.
    public init(
        flow: String,
        step: String,
        submissionID: String,
        answers: [String: JSONValue],
        correlationID: CorrelationID? = nil
    ) {
        self.flow = flow
        self.step = step
        self.submissionID = submissionID
        self.answers = answers
        self.correlationID = correlationID
    }

    /// A call, from checked parameters.
    public init(_ members: Members) throws(JSONRPCError) {
        flow = try members.required("flow")
        step = try members.required("step")
        submissionID = try members.required("submissionId")
        answers = members.object("answers") ?? [:]
        correlationID = try members.correlationID()
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

    /// `{flow, verdict, token?}`.
    public struct Answer: WireValue, Hashable {
        /// The flow after the answer.
        public let flow: FlowDocument
        /// What became of the answer.
        public let verdict: Verdict
        /// The token, where the flow came from `token.acquire`.
        public let token: AcquiredToken?

        /// What became of an answer.
        public init(flow: FlowDocument, verdict: Verdict, token: AcquiredToken?) {
            self.flow = flow
            self.verdict = verdict
            self.token = token
        }

        /// Reads an answer.
        public init(_ reader: WireReader) throws(UnreadableAnswer) {
            flow = try reader.one("flow")
            guard let verdict = Verdict(rawValue: try reader.string("verdict")) else {
                throw UnreadableAnswer("verdict")
            }
            self.verdict = verdict
            token = try reader.optional("token")
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
}
