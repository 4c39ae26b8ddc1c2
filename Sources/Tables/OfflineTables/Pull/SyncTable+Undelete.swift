public import Tables
public import TablesClient

extension SyncTable {
    /// Restores a deleted row by withdrawing the pending deletion or asking the server, and returns the stored row.
    ///
    /// - Throws: `TablesError` if the request fails, for example because the server does not have the row.
    @discardableResult
    public func undelete(_ id: RowID) async throws -> RemoteRow {
        try await context.exclusively {
            if let row = try await withdrawDeletion(id) { return row }
            let row = declaration.known(try await context.api().table(name).undelete(id.text))
            return try await context.change(name) { [name, declaration] store in
                try ReceivedRow(row: row).store(in: declaration, store)
                return try store.row(id, in: name).map(declaration.known) ?? row
            }
        }
    }

    /// Returns whether the server may already have deleted the row, or may still receive an earlier insert of the row.
    private static func mayBeDone(_ deletion: TableOperation) -> Bool {
        switch deletion.state {
        case .pending: deletion.key != nil
        case .inFlight, .attempted: true
        }
    }

    /// Withdraws a pending deletion and returns the restored row, or `nil` if no deletion is pending.
    ///
    /// If the server must still receive the row, an insert or update replaces the deletion in the queue.
    private func withdrawDeletion(_ id: RowID) async throws -> RemoteRow? {
        try await context.change(name) { [name, declaration] store in
            guard var deletion = try store.operations(of: id, in: name).last, deletion.kind == .delete,
                let row = deletion.item.map(declaration.known)
            else { return nil }
            try store.save(row, in: name)
            let base = deletion.base.map(declaration.known) ?? row.values
            if Self.mayBeDone(deletion) {
                // The old key belongs to the row that the server may have deleted, so the row is sent with a new key.
                deletion.kind = row.version == nil ? .insert : .update
                deletion.base = row.version == nil ? nil : base
            } else if !base.isSame(as: row.values) {
                deletion.kind = .update
                deletion.base = base
            } else {
                try store.removeOperation(deletion.id)
                return row
            }
            deletion.state = .pending
            deletion.item = nil
            deletion.key = nil
            try store.save(deletion)
            try store.removeErrors(of: deletion.id)
            return row
        }
    }
}
