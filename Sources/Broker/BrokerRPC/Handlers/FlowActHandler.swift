import Broker
import BrokerAPI
import FlowModel

extension FlowAction: HandledMethod {
    func answer(from broker: Broker, for call: Call) async throws -> Answer {
        One(FlowDocument(try await broker.act(self, caller: call.caller).flow))
    }
}
