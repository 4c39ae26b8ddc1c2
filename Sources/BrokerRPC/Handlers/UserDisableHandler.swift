import Broker
import BrokerAPI

extension UserDisable: HandledMethod {
    func answer(from broker: Broker, for call: Call) async throws -> Answer {
        One(
            try await broker.setUser(
                user,
                enabled: !disabled,
                caller: call.caller
            )
        )
    }
}
