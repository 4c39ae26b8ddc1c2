import Tables
import TablesClient

struct ReceivedRow: Sendable {
    let row: RemoteRow
    /// Whether a request from this device produced the row, and no other device changed the row in between.
    ///
    /// A pending edit that is based on the sent values can then adopt the new version.
    var isOwnWrite = false
    /// The row's values after the operation that the server responded to, or `nil` if there is no such operation.
    ///
    /// If a later edit has no recorded base, these values are its base.
    var sent: [String: TableValue]?

    /// Stores the row, or makes it the base of the row's pending edit.
    ///
    /// An edit that conflicts with the row keeps an outdated version, so the server reports the conflict.
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
        // If the row is deleted both locally and on the server, no request is necessary.
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
    static let unknown = ""
    /// The row was deleted locally, and the next pull checks whether the server has also deleted it.
    static let deletion = "deleted"
}

extension SyncTransaction {
    /// Records that `row` was not stored.
    func markSkipped(_ row: RemoteRow, in table: String) throws {
        try set(.skipped, row.id.text, of: table, to: row.updatedAt.map(TableDate.text) ?? SkippedMark.unknown)
    }

    func markSkipped(_ id: RowID, in table: String) throws {
        try set(.skipped, id.text, of: table, to: SkippedMark.unknown)
    }

    /// Records that the next pull must check whether the server deleted the row, unless its tombstone arrives first.
    func markDeleted(_ id: RowID, in table: String) throws {
        try set(.skipped, id.text, of: table, to: SkippedMark.deletion)
    }

    /// Removes the mark that records `row` as skipped, if the received version is newer than the skipped version.
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
    /// Returns the row with the version and times of `other`, not deleted, and with `values` if not `nil`.
    func stamped(as other: RemoteRow, values: [String: TableValue]? = nil) -> RemoteRow {
        RemoteRow(
            id: id,
            values: values ?? self.values,
            version: other.version,
            createdAt: other.createdAt ?? createdAt,
            updatedAt: other.updatedAt
        )
    }

    /// Returns the row with a version other than that of `row`, so the server reports a conflict for a change.
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
