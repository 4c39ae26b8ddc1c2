import Broker
import BrokerAPI
import FlowModel

extension NewClient: HandledMethod {
    func answer(from broker: Broker, for call: Call) async throws -> Answer {
        try await broker.addClient(self, caller: call.caller)
    }
}
