import Broker
import BrokerAPI
import FlowModel

extension FlowSubmission: HandledMethod {
    func answer(from broker: Broker, for call: Call) async throws -> Answer {
        var submission = self
        submission.correlationID = call.correlationID
        return Answer(try await broker.submit(submission, caller: call.caller))
    }
}
