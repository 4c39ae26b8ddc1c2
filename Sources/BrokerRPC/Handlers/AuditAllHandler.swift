import Broker
import BrokerAPI

extension AuditAll: HandledMethod {
    func answer(from broker: Broker, for call: Call) async throws -> Answer {
        Many(
            try await broker.auditAll(
                since: since,
                limit: Int(limit ?? 100),
                correlationID: call.correlationID,
                caller: call.caller
            )
        )
    }
}
