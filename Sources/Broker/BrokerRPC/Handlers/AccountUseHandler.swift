import Broker
import BrokerAPI
import FlowModel

extension AccountUse: HandledMethod {
    func answer(from broker: Broker, for call: Call) async throws -> Answer {
        try await broker.use(account, caller: call.caller)
    }
}
