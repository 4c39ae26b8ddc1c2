import DurableSQLite
import FlowModel
public import Storage

extension AuthorityStore.FlowTable {
    /// The number of the last sign-out, for a flow that is written only after something was read of its person.
    public func lastSignOut() async throws(StoreError) -> Int64 {
        try await core.database.find(isOneStatement: true) { db in try SignOuts.last(db) }
    }
}
