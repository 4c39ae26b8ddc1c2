import Broker
import BrokerAPI

extension AuditAll: HandledMethod {
    func answer(from broker: Broker, for call: Call) async throws -> Answer {
        let events = try await broker.auditAll(since: since, limit: Int(limit ?? 100), caller: call.caller)
        return Many(events.map(AuditRecord.init))
    }
}
