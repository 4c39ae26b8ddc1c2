import Broker
import BrokerAPI

extension UserShow: HandledMethod {
    func answer(from broker: Broker, for call: Call) async throws -> Answer {
        let shown = try await broker.user(user, caller: call.caller)
        return One(UserSummary(shown, isWhole: true))
    }
}
