import Broker
import BrokerAPI
import FlowModel

extension AccountGet: HandledMethod {
    func answer(from broker: Broker, for call: Call) async throws -> Answer {
        try await broker.account(account, caller: call.caller)
    }
}
