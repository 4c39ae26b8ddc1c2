import Broker
import BrokerAPI
import FlowModel
import Flows

extension FlowGet: HandledMethod {
    func answer(from broker: Broker, for call: Call) async throws -> Answer {
        One(FlowDocument(try await broker.flows.get(flow, owner: call.caller.owner)))
    }
}
