import Broker
import BrokerAPI

extension StoreBackup: HandledMethod {
    func answer(from broker: Broker, for call: Call) async throws -> Answer {
        try await broker.backup(caller: call.caller)
    }
}
