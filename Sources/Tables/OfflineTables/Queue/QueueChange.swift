import Foundation
import Tables
import TablesClient

/// Changes an operation and its row after a response or a conflict decision.
struct QueueChange: Sendable {
    private let operation: TableOperation
    private let declaration: TableDeclaration

    init(_ operation: TableOperation, _ declaration: TableDeclaration) {
        self.operation = operation
        self.declaration = declaration
    }

    var table: String { declaration.name }
    private var id: RowID { operation.itemID }

    /// A deleted row without values, used if the server does not have the row.
    var absent: RemoteRow { RemoteRow(id: id, values: [:], isDeleted: true) }

    /// The values before the change, overwritten by the values that the request set.
    private var sent: [String: TableValue]? {
        operation.item.map { item in
            declaration.known(operation.base ?? [:]).merging(declaration.known(item.values)) { _, new in new }
        }
    }

    // MARK: Responses

    /// Removes the completed operation and stores the server's row `reply` (`nil` after a deletion).
    ///
    /// `isOwnWrite` is `true` if this operation's request produced the row.
    func done(_ reply: RemoteRow?, isOwnWrite: Bool = false, _ store: any SyncTransaction) throws {
        try store.removeOperation(operation.id)
        // The response could come from a proxy instead of the API. The next pull checks whether the row was deleted.
        guard let reply else { return try store.markDeleted(id, in: table) }
        try ReceivedRow(row: reply, isOwnWrite: isOwnWrite, sent: sent).store(in: declaration, store)
        if reply.isDeleted, reply.version == nil { try store.markDeleted(id, in: table) }
    }

    /// Handles a rejection or conflict.
    ///
    /// `state` is `pending` if the server definitely has not performed the operation. If the operation is combined with
    /// a later one, a conflict is recorded, but a rejection is not.
    func refused(
        _ failure: TablesError,
        _ theirs: RemoteRow?,
        _ state: TableOperation.State,
        _ store: any SyncTransaction
    ) throws {
        let before = try store.errors(of: operation.id).first
        let isConflict = TableOperationError.isConflict(failure)
        guard let (left, hasCollapsed) = try stays(state, beside: theirs, afterConflict: isConflict, store) else {
            // The server may have a row with this id that is not stored locally. The next pull fetches that row.
            return try store.markSkipped(id, in: table)
        }
        let error = TableOperationError(failure, of: try newest(left, store), serverItem: theirs, after: before)
        guard hasCollapsed else { return try store.save(error) }
        guard error.isConflict else { return }
        if left.kind == .delete, theirs?.isDeleted ?? (error.statusCode == 404) {
            try store.removeOperation(left.id)
            return try store.markDeleted(id, in: table)
        }
        try store.save(error)
    }

    /// Restores the previous state of an unsent operation, or combines it with the next operation on the row.
    func unsent(_ state: TableOperation.State, _ store: any SyncTransaction) throws {
        _ = try stays(state, beside: nil, store)
    }

    /// Sets the operation's state or combines it with the row's next operation, and returns `nil` if none remains.
    ///
    /// If an insert is in conflict and a deletion follows, the deletion refers to the server's row `theirs`.
    private func stays(
        _ state: TableOperation.State,
        beside theirs: RemoteRow?,
        afterConflict isConflict: Bool = false,
        _ store: any SyncTransaction
    ) throws -> (TableOperation, hasCollapsed: Bool)? {
        var first = operation
        first.state = state
        if state == .pending, let second = try newer(store).first {
            switch OperationCollapse.refusal(of: first.kind, before: second.kind) {
            case .keepBoth: break
            case .becomeDelete:
                first.kind = .delete
                first.item = second.item
                first.key = nil
                try replace(first, without: second, store)
                return (first, true)
            case .removeBoth where theirs.map { !$0.isDeleted } ?? false:
                // The user has never seen the server's row with this id, so the deletion must fail with a conflict.
                first.kind = .delete
                first.base = first.item.map { declaration.known($0.values) }
                first.item = (second.item ?? first.item)?.outdated(beside: nil)
                first.key = nil
                try replace(first, without: second, store)
                return (first, true)
            case .removeBoth:
                try store.removeOperation(second.id)
                try store.removeOperation(first.id)
                return nil
            case .removeSecond:
                try takeOver(second, into: &first, afterConflict: isConflict, store)
                try replace(first, without: second, store)
                return (first, true)
            }
        }
        try store.save(first)
        return (first, false)
    }

    /// Combines the later edit `second` into `first`, using the current local row and the values before both edits.
    private func takeOver(
        _ second: TableOperation,
        into first: inout TableOperation,
        afterConflict isConflict: Bool,
        _ store: any SyncTransaction
    ) throws {
        guard let here = try store.row(id, in: table) else { return }
        first.item = here
        guard let base = first.base.map(declaration.known), let newer = second.base.map(declaration.known),
            let sent
        else { return }
        let edit = OwnEdit(declaration.known(here.values), over: newer)
        let changed = OwnEdit(declaration.known(operation.item?.values ?? [:]), over: base).columns
        first.base = base.merging(newer) { old, between in old }
        for (column, value) in edit.columns {
            let isSetBack = value == base[column] ?? .null
            // A column that both edits changed keeps its base from before the first edit. After a conflict, however,
            // the server may have the first edit's value, so a column that the second edit reset must be sent too.
            guard changed[column] == nil || isSetBack && isConflict else { continue }
            first.base?[column] = newer[column] ?? .null
        }
        guard !edit.fits(sent, base: newer) else { return }
        // A conflict decision changed the row's base after the second edit, so the server must report a conflict.
        let outdated = here.outdated(beside: here)
        first.item = outdated
        try store.save(outdated, in: table)
    }

    private func replace(_ first: TableOperation, without second: TableOperation, _ store: any SyncTransaction) throws {
        try store.removeOperation(second.id)
        try store.removeErrors(of: first.id)
        try store.save(first)
    }

    /// Returns the operation combined with later changes, for the error record that is shown to the user.
    private func newest(_ operation: TableOperation, _ store: any SyncTransaction) throws -> TableOperation {
        var newest = operation
        switch try newer(store).last?.kind {
        case nil, .insert?: break
        case .update?: newest.item = try store.row(id, in: table) ?? newest.item
        case .delete?:
            newest.kind = .delete
            newest.item = try newer(store).last?.item ?? newest.item
        }
        newest.item = newest.item.map(declaration.known)
        newest.base = newest.base.map(declaration.known)
        return newest
    }

    // MARK: Decisions

    /// Applies the locally changed columns to the server's row `theirs`, and leaves the row's other columns unchanged.
    func forced(over theirs: RemoteRow?, _ store: any SyncTransaction) throws -> TableOperation {
        var changed = operation
        if let theirs {
            if changed.kind == .insert { changed.kind = .update }
            changed.item = try made(over: theirs, store)
            changed.base = theirs.values
            changed.key = nil
        } else {
            changed.item = try current(store)?.stamped(as: absent)
            if changed.kind == .update {
                // The server no longer has the row, so it must be inserted.
                changed.kind = .insert
                changed.base = nil
                changed.key = UUID()
            }
        }
        if let item = changed.item { try shift(to: item, store) }
        try store.save(changed)
        try store.removeErrors(of: changed.id)
        return changed
    }

    /// Discards the local change, and stores the server's row `theirs`, or its last known state if `theirs` is `nil`.
    func givenUp(for theirs: RemoteRow?, _ store: any SyncTransaction) throws {
        try removeNewer(store)
        try done(theirs ?? lastSeen(store) ?? absent, store)
        // The server's row is unknown. The next pull fetches the row.
        if theirs == nil { try store.markSkipped(id, in: table) }
    }

    private func lastSeen(_ store: any SyncTransaction) throws -> RemoteRow? {
        guard var row = try operation.item ?? store.row(id, in: table), row.version != nil else { return nil }
        if let base = operation.base { row.values = base }
        return declaration.known(row)
    }

    /// Makes the operation set both rows to `values`, except local columns changed since the operation was sent.
    func merged(
        _ values: [String: TableValue],
        over theirs: RemoteRow?,
        _ store: any SyncTransaction
    ) throws -> TableOperation {
        let other = theirs ?? absent
        let merged = RemoteRow(id: id, values: declaration.known(values)).stamped(as: other)
        // If the operation is a deletion, there is no local row.
        if try store.row(id, in: table) == nil { try store.save(merged, in: table) }
        try shift(to: merged, store)
        var changed = operation
        // If the server no longer has the row, the server accepts only an insert.
        changed.kind = theirs == nil ? .insert : .update
        changed.key = theirs == nil ? UUID() : nil
        changed.base = theirs?.values
        changed.item = merged
        try store.save(changed)
        try store.removeErrors(of: changed.id)
        return changed
    }

    func deleting(_ theirs: RemoteRow?, _ store: any SyncTransaction) throws -> TableOperation {
        var changed = operation
        changed.item = try theirs.map { try made(over: $0, store) } ?? current(store) ?? absent
        changed.base = theirs?.values ?? changed.base
        try removeNewer(store)
        try store.removeRow(id, from: table)
        changed.kind = .delete
        // An insert that could still reach the server keeps its key, because it is sent again before the deletion.
        if !operation.mayStillArrive { changed.key = nil }
        if theirs != nil { changed.key = nil }
        // If this device has not seen the server's current version, the deletion must fail with a conflict.
        if changed.key == nil { changed.item = changed.item?.outdated(beside: nil) }
        try store.save(changed)
        try store.removeErrors(of: changed.id)
        return changed
    }

    func removeNewer(_ store: any SyncTransaction) throws {
        for second in try newer(store) { try store.removeOperation(second.id) }
    }

    // MARK: Helpers

    private func newer(_ store: any SyncTransaction) throws -> [TableOperation] {
        try store.operations(of: id, in: table).filter { $0.id > operation.id }
    }

    /// Returns the row as it was sent, or the current local row if the operation is pending.
    private func current(_ store: any SyncTransaction) throws -> RemoteRow? {
        switch operation.state {
        case .pending where operation.kind.leavesRow:
            try (store.row(id, in: table) ?? operation.item).map(declaration.known)
        case .pending, .inFlight, .attempted: operation.item.map(declaration.known)
        }
    }

    private func made(over theirs: RemoteRow, _ store: any SyncTransaction) throws -> RemoteRow {
        guard let row = try current(store) else { return theirs }
        let base: [String: TableValue]? =
            switch operation.kind {
            case .insert: nil
            case .update: operation.base.map(declaration.known)
            case .delete: operation.base.map(declaration.known) ?? row.values
            }
        let values = OwnEdit(row.values, over: base).made(over: theirs.values)
        return RemoteRow(id: id, values: values).stamped(as: theirs)
    }

    /// Makes `item` the base of the local row, and keeps the columns that were changed since the operation was sent.
    private func shift(to item: RemoteRow, _ store: any SyncTransaction) throws {
        guard let here = try store.row(id, in: table).map(declaration.known) else { return }
        guard var next = try newer(store).first, next.kind == .update,
            let base = next.base.map(declaration.known) ?? operation.item.map({ declaration.known($0.values) })
        else { return try store.save(item, in: table) }
        let edit = OwnEdit(here.values, over: base)
        try store.save(here.stamped(as: item, values: edit.made(over: item.values)), in: table)
        // The edited columns keep their original base, so a later conflict is detected.
        next.base = item.values.merging(base.filter { edit.columns[$0.key] != nil }) { _, old in old }
        try store.save(next)
    }
}
