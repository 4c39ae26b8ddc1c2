import Broker
import BrokerAPI
import FlowModel
import Flows

extension FlowCancel: HandledMethod {
    func answer(from broker: Broker, for call: Call) async throws -> Answer {
        One(FlowDocument(try await broker.flows.cancel(flow, caller: call.caller, reason: reason)))
    }
}
