import Tables
import TablesClient

/// A row as the server answered it, on its way into the store.
struct ReceivedRow: Sendable {
    let row: RemoteRow
    /// Whether the answer is that of this device's own write, which the server made on the version that the device named.
    ///
    /// No other device has changed the row between that version and this one. So a pending edit may take this version over
    /// if it was made over what was sent; a conflict that was decided meanwhile may have put other values under that.
    var isOwnWrite = false
    /// The values of the operation that was answered: what edits behind it were made over, unless they say so themselves.
    var sent: [String: TableValue]?

    /// Stores the row, or puts it under the pending edit of it.
    ///
    /// An edit that does not fit over the row keeps its older version, so that its request meets the change as a conflict.
    func store(in declaration: TableDeclaration, _ store: any SyncTransaction) throws {
        let name = declaration.name
        let waiting = try store.operations(of: row.id, in: name)
        guard let next = waiting.first else {
            try store.clearSkipped(by: row, in: name)
            if row.isDeleted { try store.removeRow(row.id, from: name) } else { try store.save(row, in: name) }
            return
        }
        // What was sent before is sent again as it was; it meets the row by itself.
        guard waiting.count == 1, next.state == .pending else { return try store.markSkipped(row, in: name) }
        switch next.kind {
        case .insert: try store.markSkipped(row, in: name)
        case .update: try lay(under: next, declaration, store)
        case .delete: try lay(underDeletion: next, declaration, store)
        }
    }

    private func lay(
        under update: TableOperation,
        _ declaration: TableDeclaration,
        _ store: any SyncTransaction
    ) throws {
        guard let here = try store.row(row.id, in: declaration.name).map(declaration.known) else { return }
        let base = update.base.map(declaration.known) ?? sent ?? row.values
        let edit = OwnEdit(here.values, over: base)
        var update = update
        let isOverOwnWrite = isOwnWrite && edit.fits(sent ?? base, base: base)
        if !row.isDeleted, isOverOwnWrite || edit.fits(row.values, base: base) {
            update.base = row.values
            try store.save(here.stamped(as: row, values: edit.made(over: row.values)), in: declaration.name)
        } else {
            update.base = base
            try store.markSkipped(row, in: declaration.name)
            try store.save(here.outdated(beside: row), in: declaration.name)
        }
        try store.save(update)
    }

    private func lay(
        underDeletion deletion: TableOperation,
        _ declaration: TableDeclaration,
        _ store: any SyncTransaction
    ) throws {
        // A row that is deleted on both sides needs nothing more.
        guard !row.isDeleted else { return try store.removeOperation(deletion.id) }
        guard let item = deletion.item.map(declaration.known) else { return }
        let base = deletion.base.map(declaration.known) ?? sent ?? item.values
        var deletion = deletion
        let isOverOwnWrite = isOwnWrite && (sent ?? base).isSame(as: base)
        if isOverOwnWrite || row.values.isSame(as: base) {
            deletion.item = item.stamped(as: row, values: OwnEdit(item.values, over: base).made(over: row.values))
            deletion.base = row.values
        } else {
            deletion.item = item.outdated(beside: row)
            deletion.base = base
            try store.markSkipped(row, in: declaration.name)
        }
        try store.save(deletion)
    }
}

/// The values of `.skipped` that are no times.
enum SkippedMark {
    /// The server's row is unknown.
    static let unknown = ""
    /// The row was deleted, and the next pull asks whether it is gone.
    static let deletion = "deleted"
}

extension SyncTransaction {
    /// Records that this row of the server was not stored, so that the next pull fetches it, unless a later version of it
    /// arrives before.
    func markSkipped(_ row: RemoteRow, in table: String) throws {
        try set(.skipped, row.id.text, of: table, to: row.updatedAt.map(TableDate.text) ?? SkippedMark.unknown)
    }

    /// Records that the server's row is unknown, so that the next pull fetches it.
    func markSkipped(_ id: RowID, in table: String) throws {
        try set(.skipped, id.text, of: table, to: SkippedMark.unknown)
    }

    /// Records that a row was deleted, so that the next pull asks whether it is gone, unless the deleted row comes before.
    func markDeleted(_ id: RowID, in table: String) throws {
        try set(.skipped, id.text, of: table, to: SkippedMark.deletion)
    }

    /// Forgets that a row was skipped, if what came now is later.
    func clearSkipped(by row: RemoteRow, in table: String) throws {
        guard let text = try setting(.skipped, row.id.text, of: table), let time = TableDate.milliseconds(text),
            let now = row.updatedAt, now > time
        else { return }
        try removeSetting(.skipped, row.id.text, of: table)
    }
}

extension RowVersion {
    /// A version that no row of a server has.
    static let never = RowVersion("none")
}

extension RemoteRow {
    /// The row with version and times of another one, and no deletion; with its own values unless others are given.
    func stamped(as other: RemoteRow, values: [String: TableValue]? = nil) -> RemoteRow {
        RemoteRow(
            id: id,
            values: values ?? self.values,
            version: other.version,
            createdAt: other.createdAt ?? createdAt,
            updatedAt: other.updatedAt
        )
    }

    /// The row with a version that the server does not have any more, so that it answers a change with a conflict.
    func outdated(beside row: RemoteRow?) -> RemoteRow {
        guard version == nil || version == row?.version else { return self }
        return RemoteRow(
            id: id,
            values: values,
            version: .never,
            createdAt: createdAt,
            updatedAt: updatedAt,
            isDeleted: isDeleted
        )
    }
}
