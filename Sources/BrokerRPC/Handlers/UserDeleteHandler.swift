import Broker
import BrokerAPI

extension UserDelete: HandledMethod {
    func answer(from broker: Broker, for call: Call) async throws -> Answer {
        try await broker.deleteUser(user, caller: call.caller)
        return Answer(removed: user)
    }
}
