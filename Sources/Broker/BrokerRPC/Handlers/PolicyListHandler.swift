import Broker
import BrokerAPI

extension PolicyList: HandledMethod {
    func answer(from broker: Broker, for call: Call) async throws -> Answer {
        Many(broker.policies())
    }
}
