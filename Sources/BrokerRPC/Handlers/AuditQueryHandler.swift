import Broker
import BrokerAPI

extension AuditQuery: HandledMethod {
    func answer(from broker: Broker, for call: Call) async throws -> Answer {
        let events = try await broker.audit(since: since, limit: Int(limit ?? 100), caller: call.caller)
        return Many(events.map(AuditRecord.init))
    }
}

extension AuditRecord {
    init(_ answer: AuditAnswer) {
        self.init(
            sequence: answer.seq,
            at: answer.at,
            event: answer.event,
            uid: answer.uid.map(Int64.init),
            pid: answer.pid.map(Int64.init),
            user: answer.user,
            client: answer.client,
            policy: answer.policy,
            correlationID: answer.correlationID ?? "",
            detail: answer.detail
        )
    }
}
