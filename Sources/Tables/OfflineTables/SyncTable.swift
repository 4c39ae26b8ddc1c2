import Moments
public import Tables
public import TablesClient

/// A table whose rows are kept here and synced with the server's (`MSSyncTable`).
///
/// Reading and changing need no network.
public struct SyncTable: Sendable {
    /// The context it belongs to.
    public let context: SyncContext
    /// The table with the columns that are kept.
    public let declaration: TableDeclaration

    /// The declared name.
    public var name: String { declaration.name }

    // MARK: Reading

    /// The row of that id; nil if there is none here (`readWithId`).
    public func read(id: RowID) async throws -> RemoteRow? {
        let declaration = declaration
        return try await context.store.read { try $0.row(id, in: declaration.name).map(declaration.known) }
    }

    /// The rows that a query finds here (`readWithQuery`); columns are not selected.
    ///
    /// - Throws: `QueryProblem` for what the table cannot be asked, and what the store throws.
    public func read(_ query: Query = Query()) async throws -> LocalPage {
        let declaration = declaration
        let known = KnownColumns(declaration)
        let rows = try await context.store.read { try $0.rows(in: declaration.name) { known.row($0) } }
        return try RowSelection(declaration: declaration).rows(query, of: rows)
    }

    /// Number of operations of this table that wait.
    public func pendingOperationsCount() async throws -> Int {
        let name = name
        return try await context.store.read { try $0.operationCount(in: name) }
    }

    // MARK: Changing

    /// Adds a row and queues its insertion, in one transaction.
    ///
    /// - Parameters:
    ///   - values: The values by column; columns with a default get it.
    ///   - id: The id; without it a UUID.
    /// - Returns: The row as it is kept.
    /// - Throws: ``SyncError/Code/syncActionInvalid`` if there is such a row, or one whose deletion waits.
    @discardableResult
    public func insert(_ values: [String: TableValue], id: RowID? = nil) async throws -> RemoteRow {
        let id = id ?? .random()
        let row = RemoteRow(
            id: id,
            values: declaration.defaults.merging(try declaration.written(values)) { _, new in new },
            createdAt: context.clock.now.wall
        )
        return try await context.change(name) { [name] store in
            let pending = try store.operations(of: id, in: name).last
            _ = try OperationCollapse.change(.insert, after: pending)
            guard try store.row(id, in: name) == nil else {
                throw SyncError(.syncActionInvalid, .exists)
            }
            try store.save(row, in: name)
            try store.add(TableOperation(.insert, of: id, in: name))
            return row
        }
    }

    /// Changes columns of a row and queues the change, in one transaction; the others stay.
    ///
    /// - Returns: The row as it is kept.
    /// - Throws: ``SyncError/Code/itemNotFound`` if there is none, ``SyncError/Code/syncActionInvalid`` if its deletion
    ///   waits.
    @discardableResult
    public func update(_ id: RowID, _ values: [String: TableValue]) async throws -> RemoteRow {
        let values = try declaration.written(values)
        return try await context.change(name) { [name, declaration] store in
            let pending = try store.operations(of: id, in: name).last
            let change = try OperationCollapse.change(.update, after: pending)
            let old = try Self.existing(id, in: name, store)
            var row = declaration.known(old)
            row.values.merge(values) { _, new in new }
            try store.save(row, in: name)
            var operation = TableOperation(.update, of: id, in: name)
            operation.base = declaration.known(old.values)
            try Self.apply(change, operation, to: pending, store)
            return row
        }
    }

    /// Deletes a row and queues the deletion, in one transaction.
    ///
    /// A row that the server has never heard of is gone at once; a deletion that waits already stays as it is.
    public func delete(_ id: RowID) async throws {
        try await context.change(name) { [name, declaration] store in
            let pending = try store.operations(of: id, in: name).last
            let change = try OperationCollapse.change(.delete, after: pending)
            if change == .nothing { return }
            var operation = TableOperation(.delete, of: id, in: name)
            let old = try Self.existing(id, in: name, store)
            operation.item = old
            operation.base = declaration.known(old.values)
            try store.removeRow(id, from: name)
            try Self.apply(change, operation, to: pending, store)
        }
    }

    /// Does to the queue what follows from a change.
    private static func apply(
        _ change: OperationCollapse.Change,
        _ operation: TableOperation,
        to pending: TableOperation?,
        _ store: any SyncTransaction
    ) throws {
        switch (change, pending) {
        case (.add, let pending):
            // A record of the one before does not show this change.
            if let pending { try store.removeErrors(of: pending.id) }
            try store.add(operation)
        case (_, nil): try store.add(operation)
        case (.nothing, _): break
        case (.keep, let pending?): try store.removeErrors(of: pending.id)
        case (.remove, let pending?):
            // The refusal of an insert that was sent may mean that the server has such a row, which pulls have skipped.
            if pending.key != nil { try store.markSkipped(pending.itemID, in: pending.table) }
            try store.removeOperation(pending.id)
        case (.becomeDelete, var pending?):
            pending.kind = .delete
            // The key of an insertion that may still arrive stays, even if the insertion was made a change: the insertion is
            // sent again before the deletion. While it is an insertion its item stays, too: the key stands for that alone.
            if pending.state == .pending { pending.item = operation.item }
            try store.save(pending)
            try store.removeErrors(of: pending.id)
        }
    }

    private static func existing(_ id: RowID, in name: String, _ store: any SyncTransaction) throws -> RemoteRow {
        guard let row = try store.row(id, in: name) else {
            throw SyncError(.itemNotFound, .noRow(id))
        }
        return row
    }
}
