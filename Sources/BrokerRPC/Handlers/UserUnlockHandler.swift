import Broker
import BrokerAPI

extension UserUnlock: HandledMethod {
    func answer(from broker: Broker, for call: Call) async throws -> Answer {
        One(try await broker.unlockUser(user, caller: call.caller))
    }
}
