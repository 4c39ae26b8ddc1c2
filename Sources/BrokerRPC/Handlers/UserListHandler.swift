import Broker
import BrokerAPI

extension UserList: HandledMethod {
    func answer(from broker: Broker, for call: Call) async throws -> Answer {
        Many(
            try await broker.users(
                after: after,
                limit: Int(limit ?? 100),
                caller: call.caller
            )
        )
    }
}
