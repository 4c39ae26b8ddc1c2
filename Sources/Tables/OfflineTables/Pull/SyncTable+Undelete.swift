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
            return try await context.change(name) { [name, declaration] store in
                try ReceivedRow(row: row).store(in: declaration, store)
                return try store.row(id, in: name).map(declaration.known) ?? row
            }
        }
    }

    /// Whether the server may have deleted the row, or may get the row of an insertion before.
    private static func mayBeDone(_ deletion: TableOperation) -> Bool {
        switch deletion.state {
        case .pending: deletion.key != nil
        case .inFlight, .attempted: true
        }
    }

    /// Takes a deletion that waits out of the queue; nil if there is none.
    private func withdrawDeletion(_ id: RowID) async throws -> RemoteRow? {
        try await context.change(name) { [name, declaration] store in
            guard var deletion = try store.operations(of: id, in: name).last, deletion.kind == .delete,
                let row = deletion.item.map(declaration.known)
            else { return nil }
            try store.save(row, in: name)
            let base = deletion.base.map(declaration.known) ?? row.values
            if Self.mayBeDone(deletion) {
                // The row goes to the server again, under a key of its own, since the old one answers for the row that the
                // server may have deleted.
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
