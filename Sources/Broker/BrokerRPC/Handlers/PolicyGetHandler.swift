import Broker
import BrokerAPI

extension PolicyGet: HandledMethod {
    func answer(from broker: Broker, for call: Call) async throws -> Answer {
        try broker.policy(policy)
    }
}
