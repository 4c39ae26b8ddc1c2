import Administration
import BrokerAPI

extension AuditAll: OperatorMethod {
    func answer(to caller: Operator) async throws -> Answer {
        Many(try await caller.events(since: since ?? 0, limit: Int(limit ?? 100)))
    }
}
