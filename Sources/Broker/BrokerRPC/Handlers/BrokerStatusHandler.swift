import Broker
import BrokerAPI

extension BrokerStatus: HandledMethod {
    func answer(from broker: Broker, for call: Call) async throws -> Answer {
        try await broker.status(caller: call.caller)
    }
}
