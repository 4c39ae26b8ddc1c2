import Broker
import BrokerAPI

extension GroupList: HandledMethod {
    func answer(from broker: Broker, for call: Call) async throws -> Answer {
        Many(
            try await broker.groups(
                group,
                after: after,
                caller: call.caller
            )
        )
    }
}
