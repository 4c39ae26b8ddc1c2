import Broker
import BrokerAPI

extension UserInvite: HandledMethod {
    func answer(from broker: Broker, for call: Call) async throws -> Answer {
        let ends = try await broker.invite(
            email,
            days: days,
            caller: call.caller
        )
        return One(Invitation(email: email, expiresAt: ends))
    }
}
