import Broker
import BrokerAPI

extension ClientList: HandledMethod {
    func answer(from broker: Broker, for call: Call) async throws -> Answer {
        Many(try await broker.clients(caller: call.caller))
    }
}
