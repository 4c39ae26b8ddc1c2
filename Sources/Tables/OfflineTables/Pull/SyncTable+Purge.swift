public import Tables
import TablesClient

extension SyncTable {
    /// Removes matching rows, but no delta tokens, from the local store, and returns the number of removed rows.
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

    /// Removes matching rows with their unsent edits and errors, and all delta tokens, and returns the number of rows.
    ///
    /// If `query` is `nil`, all operations of the table are removed, including operations on deleted rows.
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
