import Broker
import BrokerAPI

extension ClientList: HandledMethod {
    func answer(from broker: Broker, for call: Call) async throws -> Answer {
        let clients = try await broker.clients(caller: call.caller)
        return Many(clients.map(ClientSummary.init))
    }
}
