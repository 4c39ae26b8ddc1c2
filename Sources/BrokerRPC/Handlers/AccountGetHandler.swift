import Broker
import BrokerAPI

extension AccountGet: HandledMethod {
    func answer(from broker: Broker, for call: Call) async throws -> Answer {
        AccountSummary(try await broker.account(account, caller: call.caller))
    }
}
