import Foundation
import Tables
import TablesClient

/// The changes to an operation and its row when its answer is there, or its conflict is decided; each within one
/// transaction.
struct QueueChange: Sendable {
    private let operation: TableOperation
    private let declaration: TableDeclaration

    init(_ operation: TableOperation, _ declaration: TableDeclaration) {
        self.operation = operation
        self.declaration = declaration
    }

    /// The table's declared name.
    var table: String { declaration.name }
    private var id: RowID { operation.itemID }

    /// The row of a server that has none.
    var absent: RemoteRow { RemoteRow(id: id, values: [:], isDeleted: true) }

    /// The values of the row under the request: those that it set, over those that it was made over.
    private var sent: [String: TableValue]? {
        operation.item.map { item in
            declaration.known(operation.base ?? [:]).merging(declaration.known(item.values)) { _, new in new }
        }
    }

    // MARK: Answers

    /// The operation is done, and `reply` is the server's row; nil after a deletion.
    ///
    /// - Parameters:
    ///   - reply: The row.
    ///   - isOwnWrite: Whether the server wrote it for this operation, instead of having it already.
    ///   - store: The transaction.
    /// - Throws: What the store throws.
    func done(_ reply: RemoteRow?, isOwnWrite: Bool = false, _ store: any SyncTransaction) throws {
        try store.removeOperation(operation.id)
        // A proxy may have answered instead of the API: the next pull sees whether the row is gone.
        guard let reply else { return try store.markDeleted(id, in: table) }
        try ReceivedRow(row: reply, isOwnWrite: isOwnWrite, sent: sent).store(in: declaration, store)
        if reply.isDeleted, reply.version == nil { try store.markDeleted(id, in: table) }
    }

    /// The operation was refused or met a conflict; it stays, or collapses with the one behind it.
    ///
    /// A refusal of an operation that collapsed is forgotten, since its values are others now. A conflict is recorded.
    ///
    /// - Parameters:
    ///   - failure: The answer.
    ///   - theirs: The server's row, where it is known.
    ///   - state: Pending if the server has done nothing of it for certain.
    ///   - store: The transaction.
    /// - Throws: What the store throws.
    func refused(
        _ failure: TablesError,
        _ theirs: RemoteRow?,
        _ state: TableOperation.State,
        _ store: any SyncTransaction
    ) throws {
        let before = try store.errors(of: operation.id).first
        let isConflict = TableOperationError.isConflict(failure)
        guard let (left, hasCollapsed) = try stays(state, beside: theirs, afterConflict: isConflict, store) else {
            // The server's row of that id, if it has one, is not stored here.
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

    /// The operation was taken and not sent: it has its former state, or collapses with the one behind it.
    func unsent(_ state: TableOperation.State, _ store: any SyncTransaction) throws {
        _ = try stays(state, beside: nil, store)
    }

    /// Keeps the operation in a state, or collapses it with the one behind it.
    ///
    /// - Parameters:
    ///   - state: The state.
    ///   - theirs: The server's row of a conflict, which a deletion behind an insertion is about.
    ///   - isConflict: Whether the operation met a conflict.
    ///   - store: The transaction.
    /// - Returns: The operation that is left, and whether it stands for both; nil if neither is left.
    /// - Throws: What the store throws.
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
                // The server has a row of that id, which the user has never seen.
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

    /// Makes one edit of two: it brings the row as it is here, and its base has for each column the value that the user saw.
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
            // The server may have shown the first value of such a column to other devices.
            guard changed[column] == nil || isSetBack && isConflict else { continue }
            first.base?[column] = newer[column] ?? .null
        }
        guard !edit.fits(sent, base: newer) else { return }
        // The decision of a conflict has put other values under the row, which the second edit was not made over.
        let outdated = here.outdated(beside: here)
        first.item = outdated
        try store.save(outdated, in: table)
    }

    private func replace(_ first: TableOperation, without second: TableOperation, _ store: any SyncTransaction) throws {
        try store.removeOperation(second.id)
        try store.removeErrors(of: first.id)
        try store.save(first)
    }

    /// The operation with what was changed behind it, as a record shows it to the user.
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

    /// The columns that were changed here are to be written over the server's row; its other columns stay.
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
                // The server has no such row any more: it is new to it.
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

    /// The change here is given up for the server's row, as far as it is known.
    func givenUp(for theirs: RemoteRow?, _ store: any SyncTransaction) throws {
        try removeNewer(store)
        try done(theirs ?? lastSeen(store) ?? absent, store)
        // The server's row was not in its answer; the next pull brings it as it is now.
        if theirs == nil { try store.markSkipped(id, in: table) }
    }

    /// The row as the server was last seen to have it.
    private func lastSeen(_ store: any SyncTransaction) throws -> RemoteRow? {
        guard var row = try operation.item ?? store.row(id, in: table), row.version != nil else { return nil }
        if let base = operation.base { row.values = base }
        return declaration.known(row)
    }

    /// The row gets these values on both sides, but keeps what was changed here since it was sent.
    func merged(
        _ values: [String: TableValue],
        over theirs: RemoteRow?,
        _ store: any SyncTransaction
    ) throws -> TableOperation {
        let other = theirs ?? absent
        let merged = RemoteRow(id: id, values: declaration.known(values)).stamped(as: other)
        // A deletion has no row here.
        if try store.row(id, in: table) == nil { try store.save(merged, in: table) }
        try shift(to: merged, store)
        var changed = operation
        // A server that has no such row any more takes it as a new one only.
        changed.kind = theirs == nil ? .insert : .update
        changed.key = theirs == nil ? UUID() : nil
        changed.base = theirs?.values
        changed.item = merged
        try store.save(changed)
        try store.removeErrors(of: changed.id)
        return changed
    }

    /// The row is to be deleted on both sides.
    func deleting(_ theirs: RemoteRow?, _ store: any SyncTransaction) throws -> TableOperation {
        var changed = operation
        changed.item = try theirs.map { try made(over: $0, store) } ?? current(store) ?? absent
        changed.base = theirs?.values ?? changed.base
        try removeNewer(store)
        try store.removeRow(id, from: table)
        changed.kind = .delete
        // An insertion that may still arrive keeps its key, because it is sent again before the deletion.
        if !operation.mayStillArrive { changed.key = nil }
        if theirs != nil { changed.key = nil }
        // A row that this device has not seen is deleted only on its current version.
        if changed.key == nil { changed.item = changed.item?.outdated(beside: nil) }
        try store.save(changed)
        try store.removeErrors(of: changed.id)
        return changed
    }

    /// Removes the operations behind this one.
    func removeNewer(_ store: any SyncTransaction) throws {
        for second in try newer(store) { try store.removeOperation(second.id) }
    }

    // MARK: Parts

    private func newer(_ store: any SyncTransaction) throws -> [TableOperation] {
        try store.operations(of: id, in: table).filter { $0.id > operation.id }
    }

    /// The row with the change: as it was sent, or as it is now if it is to be sent anew.
    private func current(_ store: any SyncTransaction) throws -> RemoteRow? {
        switch operation.state {
        case .pending where operation.kind.leavesRow:
            try (store.row(id, in: table) ?? operation.item).map(declaration.known)
        case .pending, .inFlight, .attempted: operation.item.map(declaration.known)
        }
    }

    /// The server's row with the columns that the operation changes.
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

    /// Puts another row under the one here, which keeps the columns that were changed since the operation was sent.
    private func shift(to item: RemoteRow, _ store: any SyncTransaction) throws {
        guard let here = try store.row(id, in: table).map(declaration.known) else { return }
        guard var next = try newer(store).first, next.kind == .update,
            let base = next.base.map(declaration.known) ?? operation.item.map({ declaration.known($0.values) })
        else { return try store.save(item, in: table) }
        let edit = OwnEdit(here.values, over: base)
        try store.save(here.stamped(as: item, values: edit.made(over: item.values)), in: table)
        // The columns of the edit keep what it was made over, by which a later conflict is seen.
        next.base = item.values.merging(base.filter { edit.columns[$0.key] != nil }) { _, old in old }
        try store.save(next)
    }
}
