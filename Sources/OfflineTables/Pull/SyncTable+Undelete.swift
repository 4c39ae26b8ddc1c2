public import Tables
public import TablesClient

extension SyncTable {
    /// Brings a deleted row back: takes a deletion that waits out of the queue, or else asks the server.
    ///
    /// - Returns: The row as it is kept.
    /// - Throws: `TablesError` where the server has to be asked and does not have it, and what else the request throws.
    @discardableResult
    public func undelete(_ id: RowID) async throws -> RemoteRow {
        try await context.exclusively {
            if let row = try await withdrawDeletion(id) { return row }
            let row = declaration.known(try await context.api().table(name).undelete(id.text))
            try await context.change(name) { [name] store in try store.save(row, in: name) }
            return row
        }
    }

    /// Takes a deletion that waits out of the queue; nil if there is none.
    private func withdrawDeletion(_ id: RowID) async throws -> RemoteRow? {
        try await context.change(name) { [name, declaration] store in
            guard var deletion = try store.operations(of: id, in: name).last, deletion.kind == .delete,
                let row = deletion.item.map(declaration.known)
            else { return nil }
            try store.save(row, in: name)
            let base = deletion.base.map(declaration.known)
            if deletion.state == .attempted || row.version == nil {
                // The server may have deleted it, or never have had it: the row goes there again.
                deletion.kind = row.version == nil ? .insert : .update
                deletion.base = nil
                try store.save(deletion)
                try store.removeErrors(of: deletion.id)
            } else if let base, base != row.values {
                deletion.kind = .update
                deletion.item = nil
                try store.save(deletion)
                try store.removeErrors(of: deletion.id)
            } else {
                try store.removeOperation(deletion.id)
            }
            return row
        }
    }
}
