import Broker
import BrokerAPI
import FlowModel
import Flows

extension FlowList: HandledMethod {
    func answer(from broker: Broker, for call: Call) async throws -> Answer {
        Many(try await broker.flows.list(owner: call.caller.owner).map(FlowDocument.init))
    }
}
