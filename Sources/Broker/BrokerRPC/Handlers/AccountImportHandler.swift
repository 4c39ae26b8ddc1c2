import Broker
import BrokerAPI
import FlowModel

extension ImportedAccount: HandledMethod {
    func answer(from broker: Broker, for call: Call) async throws -> Answer {
        try await broker.takeOver(self, caller: call.caller)
    }
}
