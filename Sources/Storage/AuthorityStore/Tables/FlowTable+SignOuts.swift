import DurableSQLite
import FlowModel
public import Storage

extension AuthorityStore.FlowTable {
    /// The number of the last sign-out, for a flow that is written only after it has looked at its person.
    public func lastSignOut() async throws(StoreError) -> Int64 {
        try await core.database.find { db in try SignOuts.last(db) }
    }
}
