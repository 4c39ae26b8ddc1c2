import Broker
import BrokerAPI
import FlowModel

extension FlowSubmission: HandledMethod {
    func answer(from broker: Broker, for call: Call) async throws -> Answer {
        Answer(try await broker.submit(self, caller: call.caller))
    }
}
