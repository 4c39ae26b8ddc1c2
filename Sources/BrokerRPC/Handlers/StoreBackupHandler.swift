import Broker
import BrokerAPI

extension StoreBackup: HandledMethod {
    func answer(from broker: Broker, for call: Call) async throws -> Answer {
        let backup = try await broker.backup(caller: call.caller)
        return Answer(path: backup.path, bytes: backup.bytes, at: backup.at)
    }
}
