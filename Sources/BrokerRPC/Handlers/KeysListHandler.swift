import Broker
import BrokerAPI

extension KeysList: HandledMethod {
    func answer(from broker: Broker, for call: Call) async throws -> Answer {
        Many(try await broker.keys(caller: call.caller))
    }
}
