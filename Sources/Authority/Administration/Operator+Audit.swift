import Authority
import AuthorityStore
public import FlowModel
import Storage
import StoreRefusals

extension Operator {
    /// Returns audit events of all owners, oldest first, whose sequence numbers are greater than `since`.
    ///
    /// Returns at most `limit` events, and never more than 1000.
    public func events(since: Int64, limit: Int) async throws -> [AuditRecord] {
        try await Administration.rows.storing { try await store.audit.all(since: since, limit: limit) }
    }
}
