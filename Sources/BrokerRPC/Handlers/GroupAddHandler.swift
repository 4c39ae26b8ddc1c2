import Broker
import BrokerAPI

extension GroupAdd: HandledMethod {
    func answer(from broker: Broker, for call: Call) async throws -> Answer {
        One(
            try await broker.addToGroup(
                group,
                user: user,
                caller: call.caller
            )
        )
    }
}
