import Authority
import Broker
import BrokerAPI
import FlowModel

extension AuditQuery: HandledMethod {
    func answer(from broker: Broker, for call: Call) async throws -> Answer {
        let owner = call.caller.owner
        return Many(try await broker.authority.events(of: owner, since: since ?? 0, limit: Int(limit ?? 100)))
    }
}
