import Broker
import BrokerAPI

extension UserShow: HandledMethod {
    func answer(from broker: Broker, for call: Call) async throws -> Answer {
        One(try await broker.user(user, caller: call.caller))
    }
}
