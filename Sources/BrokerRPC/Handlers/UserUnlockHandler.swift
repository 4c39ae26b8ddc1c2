import Broker
import BrokerAPI

extension UserUnlock: HandledMethod {
    func answer(from broker: Broker, for call: Call) async throws -> Answer {
        let unlocked = try await broker.unlockUser(user, caller: call.caller)
        return One(UserSummary(unlocked, isWhole: false))
    }
}
