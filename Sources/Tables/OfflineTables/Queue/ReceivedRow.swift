import Tables
import TablesClient

/// A row from the server's response, before it is stored.
struct ReceivedRow: Sendable {
    let row: RemoteRow
    /// Whether the row is the result of this device's own write, based on the version that the device specified.
    ///
    /// If so, no other device changed the row between the two versions. A pending edit can therefore adopt the new
    /// version, if the edit was made on the sent values. A conflict decision may have replaced those values in the
    /// meantime.
    var isOwnWrite = false
    /// The values of the operation that the response belongs to, or `nil` if there is no such operation.
    ///
    /// Later edits are based on these values, unless the edits have their own base.
    var sent: [String: TableValue]?

    /// Stores the row.
    ///
    /// If the row has a pending edit, the row becomes the base of the edit.
    ///
    /// If the edit conflicts with the row, the edit keeps its older version. Its request then fails with a conflict.
    func store(in declaration: TableDeclaration, _ store: any SyncTransaction) throws {
        let name = declaration.name
        let waiting = try store.operations(of: row.id, in: name)
        guard let next = waiting.first else {
            try store.clearSkipped(by: row, in: name)
            if row.isDeleted { try store.removeRow(row.id, from: name) } else { try store.save(row, in: name) }
            return
        }
        // An operation that was already sent is repeated unchanged. Its response will contain the row.
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
        // If the row is deleted on both sides, no request is necessary.
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

/// The special values of the setting `.skipped`, which otherwise contains times.
enum SkippedMark {
    /// The server's row is unknown.
    static let unknown = ""
    /// The row was deleted locally.
    ///
    /// The next pull checks whether the server has deleted it too.
    static let deletion = "deleted"
}

extension SyncTransaction {
    /// Records that this row from the server was not stored.
    ///
    /// The next pull fetches the row, unless a later version arrives first.
    func markSkipped(_ row: RemoteRow, in table: String) throws {
        try set(.skipped, row.id.text, of: table, to: row.updatedAt.map(TableDate.text) ?? SkippedMark.unknown)
    }

    /// Records that the server's row is unknown.
    ///
    /// The next pull fetches the row.
    func markSkipped(_ id: RowID, in table: String) throws {
        try set(.skipped, id.text, of: table, to: SkippedMark.unknown)
    }

    /// Marks a row as possibly deleted on the server.
    ///
    /// The next pull checks whether the server has deleted it, unless its tombstone arrives first.
    func markDeleted(_ id: RowID, in table: String) throws {
        try set(.skipped, id.text, of: table, to: SkippedMark.deletion)
    }

    /// Removes the record that a row was skipped, if the received row is newer.
    func clearSkipped(by row: RemoteRow, in table: String) throws {
        guard let text = try setting(.skipped, row.id.text, of: table), let time = TableDate.milliseconds(text),
            let now = row.updatedAt, now > time
        else { return }
        try removeSetting(.skipped, row.id.text, of: table)
    }
}

extension RowVersion {
    /// A version that never matches a row on the server.
    static let never = RowVersion("none")
}

extension RemoteRow {
    /// Returns the row, marked as not deleted, with the version and times of `other`.
    ///
    /// If `values` is not `nil`, it replaces the row's values.
    func stamped(as other: RemoteRow, values: [String: TableValue]? = nil) -> RemoteRow {
        RemoteRow(
            id: id,
            values: values ?? self.values,
            version: other.version,
            createdAt: other.createdAt ?? createdAt,
            updatedAt: other.updatedAt
        )
    }

    /// Returns the row with an outdated version.
    ///
    /// The server then responds to a change with a conflict.
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
