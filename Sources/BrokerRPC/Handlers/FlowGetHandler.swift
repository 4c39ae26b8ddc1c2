import Broker
import BrokerAPI

extension FlowGet: HandledMethod {
    func answer(from broker: Broker, for call: Call) async throws -> Answer {
        One(FlowDocument(try await broker.getFlow(flow, caller: call.caller)))
    }
}
