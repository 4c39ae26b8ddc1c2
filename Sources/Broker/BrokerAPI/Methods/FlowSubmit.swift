public import FlowModel
public import OAuth

/// `flow.submit`: answers the open step.
extension FlowSubmission: BrokerMethod {
    /// The name on the wire.
    public static let name = "flow.submit"
    /// The sentence of `rpc.discover`.
    public static let summary = "Answers the open step of a flow; the same submissionId again is not evaluated again."
    /// The parameters; the members of `answers` are judged by the step (1006).
    public static let fields: [Field] = [
        .requiredID("flow"), .requiredID("step"), .required("submissionId", .string(1...64)),
        .required("answers", .anyObject), .correlationID,
    ]
    /// True: it changes the flow.
    public static var changesState: Bool { true }
    /// True: a submission id is evaluated once.
    public var isRepeatable: Bool { true }
    /// The longest wait for external servers: the answer may need a connector.
    public var deadline: Duration { ExternalWait.longest }

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

    /// `{flow, verdict, token?}`.
    public struct Answer: WireValue, Hashable {
        /// The flow after the answer.
        public let flow: FlowDocument
        /// The verdict on the answer.
        public let verdict: Verdict
        /// The token, if the flow came from `token.acquire` and has ended with success.
        public let token: AcquiredToken?

        /// The outcome of an answer.
        public init(_ progress: FlowProgress) {
            flow = FlowDocument(progress.flow)
            verdict = progress.verdict
            token = progress.token
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
