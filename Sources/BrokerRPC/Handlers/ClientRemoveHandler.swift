import Broker
import BrokerAPI

extension ClientRemove: HandledMethod {
    func answer(from broker: Broker, for call: Call) async throws -> Answer {
        try await broker.removeClient(client, caller: call.caller)
        return Answer(removed: client)
    }
}
