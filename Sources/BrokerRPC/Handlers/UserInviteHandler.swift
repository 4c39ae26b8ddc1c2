import Broker
import BrokerAPI

extension UserInvite: HandledMethod {
    func answer(from broker: Broker, for call: Call) async throws -> Answer {
        One(try await broker.invite(email, days: days, caller: call.caller))
    }
}
