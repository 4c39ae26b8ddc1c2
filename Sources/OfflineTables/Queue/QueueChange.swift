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

    // MARK: Answers

    /// The operation is done, and `reply` is the server's row; nil after a deletion.
    func done(_ reply: RemoteRow?, _ store: any SyncTransaction) throws {
        try store.removeOperation(operation.id)
        guard let reply else { return }
        let newer = try store.operations(of: id, in: table)
        guard !newer.isEmpty else {
            if reply.isDeleted { try store.removeRow(id, from: table) } else { try store.save(reply, in: table) }
            return
        }
        if let row = try store.row(id, in: table) { try store.save(rebased(row, onto: reply), in: table) }
        for var next in newer {
            next.base = reply.values
            next.item = next.item.map { rebased($0, onto: reply) }
            try store.save(next)
        }
    }

    /// The operation was refused; it stays, or collapses with the one behind it, and then the refusal is forgotten.
    ///
    /// - Parameters:
    ///   - error: The refusal.
    ///   - state: Pending if the server has done nothing of it for certain.
    ///   - store: The transaction.
    /// - Throws: What the store throws.
    func refused(
        _ error: TableOperationError,
        _ state: TableOperation.State,
        _ store: any SyncTransaction
    ) throws {
        if try stays(state, store) { try store.save(error) }
    }

    /// The operation was taken and not sent: it has its former state, or collapses with the one behind it.
    func unsent(_ state: TableOperation.State, _ store: any SyncTransaction) throws {
        _ = try stays(state, store)
    }

    /// Keeps the operation in a state, or collapses it with the one behind it.
    ///
    /// - Returns: True if both stay.
    private func stays(_ state: TableOperation.State, _ store: any SyncTransaction) throws -> Bool {
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
                return false
            case .removeBoth:
                try store.removeOperation(second.id)
                try store.removeOperation(first.id)
                return false
            case .removeSecond:
                try replace(first, without: second, store)
                return false
            }
        }
        try store.save(first)
        return true
    }

    private func replace(_ first: TableOperation, without second: TableOperation, _ store: any SyncTransaction) throws {
        try store.removeOperation(second.id)
        try store.removeErrors(of: first.id)
        try store.save(first)
    }

    // MARK: Decisions

    /// The change here is to be done over the server's row.
    func forced(over theirs: RemoteRow?, _ store: any SyncTransaction) throws -> TableOperation {
        var changed = operation
        if let theirs {
            if changed.kind == .insert { changed.kind = .update }
            changed.base = theirs.values
            changed.item = changed.item?.stamped(as: theirs)
        } else if changed.kind == .update {
            // The server has no such row any more: it is new to it.
            changed.kind = .insert
            changed.base = nil
            changed.key = UUID()
            changed.item = changed.item?.stamped(as: absent)
        }
        if let row = try store.row(id, in: table) { try store.save(row.stamped(as: theirs ?? absent), in: table) }
        try store.save(changed)
        try store.removeErrors(of: changed.id)
        return changed
    }

    /// The change here is given up for the server's row, as far as it is known.
    func givenUp(for theirs: RemoteRow?, _ store: any SyncTransaction) throws {
        for second in try newer(store) { try store.removeOperation(second.id) }
        if theirs == nil {
            // The server's row was not in its answer; a pull from the beginning brings it as it is now.
            try store.removeSettings(.deltaToken, of: table)
        }
        try done(theirs ?? lastSeen(store) ?? absent, store)
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
        var merged = other
        merged.values = declaration.known(values)
        let row = try store.row(id, in: table) ?? merged
        let isFirst = operation.item == nil
        try store.save((isFirst ? merged : rebased(row, onto: merged)).stamped(as: other), in: table)
        var changed = operation
        // A server that has no such row any more takes it as a new one only.
        changed.kind = theirs == nil ? .insert : .update
        changed.key = theirs == nil ? UUID() : nil
        changed.base = theirs?.values
        changed.item = merged.stamped(as: other)
        try store.save(changed)
        try store.removeErrors(of: changed.id)
        return changed
    }

    /// The row is to be deleted on both sides.
    func deleting(_ theirs: RemoteRow?, _ store: any SyncTransaction) throws -> TableOperation {
        for second in try newer(store) { try store.removeOperation(second.id) }
        try store.removeRow(id, from: table)
        var changed = operation
        changed.kind = .delete
        changed.item = (operation.item ?? theirs ?? absent).stamped(as: theirs ?? absent)
        // The key of an insertion that may still arrive stays: the deletion has to come after that.
        if operation.kind != .insert || operation.state != .attempted { changed.key = nil }
        try store.save(changed)
        try store.removeErrors(of: changed.id)
        return changed
    }

    // MARK: Parts

    private func newer(_ store: any SyncTransaction) throws -> [TableOperation] {
        try store.operations(of: id, in: table).filter { $0.id > operation.id }
    }

    /// The server's row with the columns that were changed here since the operation was sent.
    private func rebased(_ row: RemoteRow, onto reply: RemoteRow) -> RemoteRow {
        let row = declaration.known(row)
        let sent = operation.item.map { declaration.known($0.values) } ?? [:]
        var values = reply.values
        for (column, value) in row.values where value != sent[column] ?? .null { values[column] = value }
        // Over a deletion the old version stays, so that the newer change meets it as a conflict of its own.
        var rebased = reply.isDeleted ? row : row.stamped(as: reply)
        rebased.values = values
        return rebased
    }
}

extension RemoteRow {
    /// The same values with version and times of another row, and no deletion.
    func stamped(as other: RemoteRow) -> RemoteRow {
        RemoteRow(
            id: id,
            values: values,
            version: other.version,
            createdAt: other.createdAt ?? createdAt,
            updatedAt: other.updatedAt
        )
    }
}
