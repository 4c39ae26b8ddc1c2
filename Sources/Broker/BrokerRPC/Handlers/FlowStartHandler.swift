import Broker
import BrokerAPI
import FlowModel

extension StartFlowRequest: HandledMethod {
    func answer(from broker: Broker, for call: Call) async throws -> Answer {
        One(FlowDocument(try await broker.startFlow(self, client: call.hello?.client, caller: call.caller)))
    }
}
