import Broker
import BrokerAPI

extension AuditQuery: HandledMethod {
    func answer(from broker: Broker, for call: Call) async throws -> Answer {
        Many(try await broker.audit(since: since, limit: Int(limit ?? 100), caller: call.caller))
    }
}
