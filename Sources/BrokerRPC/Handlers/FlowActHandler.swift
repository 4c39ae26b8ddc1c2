import Broker
import BrokerAPI
import FlowModel

extension FlowAction: HandledMethod {
    func answer(from broker: Broker, for call: Call) async throws -> Answer {
        var action = self
        action.correlationID = call.correlationID
        return One(FlowDocument(try await broker.act(action, caller: call.caller).flow))
    }
}
