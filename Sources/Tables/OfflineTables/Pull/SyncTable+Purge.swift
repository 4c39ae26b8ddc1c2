public import Tables
import TablesClient

extension SyncTable {
    /// Removes the rows that match a query from the local store, and returns the number of removed rows.
    ///
    /// The rows on the server and the table's delta tokens are not removed.
    ///
    /// - Throws: ``SyncError/Code/purgeAborted`` if the table has pending operations.
    @discardableResult
    public func purge(_ query: Query = Query()) async throws -> Int {
        try await remove(query) { [name] store, rows in
            guard try store.operationCount(in: name) == 0 else {
                throw SyncError(.purgeAborted, .pendingOperations)
            }
        }
    }

    /// Removes the rows that match a query, the operations and errors of these rows, and the table's delta tokens.
    ///
    /// Edits that have not been sent to the server are lost. If `query` is `nil`, all operations of the table are
    /// removed, including operations on deleted rows. Returns the number of removed rows.
    @discardableResult
    public func forcePurge(_ query: Query? = nil) async throws -> Int {
        try await remove(query ?? Query()) { [name] store, rows in
            let ids = Set(rows)
            for operation in try store.operations(in: name) where query == nil || ids.contains(operation.itemID) {
                try store.removeOperation(operation.id)
            }
            try store.removeSettings(.deltaToken, of: name)
        }
    }

    private func remove(
        _ query: Query,
        _ prepare: @escaping @Sendable (any SyncTransaction, [RowID]) throws -> Void
    ) async throws -> Int {
        let (name, declaration) = (name, declaration)
        return try await context.exclusively {
            try await context.change(name) { store in
                let known = KnownColumns(declaration)
                let rows = try store.rows(in: name) { known.row($0) }
                let found = try RowSelection(declaration: declaration).rows(query, of: rows).rows.map(\.id)
                try prepare(store, found)
                for id in found { try store.removeRow(id, from: name) }
                return found.count
            }
        }
    }
}
