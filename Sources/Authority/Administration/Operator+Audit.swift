import Authority
import AuthorityStore
public import FlowModel
import Storage
import StoreRefusals

extension Operator {
    /// Returns all owners' audit events with sequence numbers above `since`, oldest first, at most `limit` and 1000.
    public func events(since: Int64, limit: Int) async throws -> [AuditRecord] {
        try await Administration.rows.storing { try await store.audit.all(since: since, limit: limit) }
    }
}
