import Broker
import BrokerAPI

extension GroupRemove: HandledMethod {
    func answer(from broker: Broker, for call: Call) async throws -> Answer {
        try await broker.removeFromGroup(group, user: user, caller: call.caller)
        return Answer(removed: user)
    }
}
