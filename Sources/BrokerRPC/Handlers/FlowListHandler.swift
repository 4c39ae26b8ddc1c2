import Broker
import BrokerAPI

extension FlowList: HandledMethod {
    func answer(from broker: Broker, for call: Call) async throws -> Answer {
        Many(try await broker.listFlows(caller: call.caller).map(FlowDocument.init))
    }
}
