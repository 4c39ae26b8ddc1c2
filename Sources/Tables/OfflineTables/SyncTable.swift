import Moments
public import Tables
public import TablesClient

/// A table whose rows are stored locally and synchronized with the server.
///
/// This type corresponds to `MSSyncTable` in the Azure Mobile Services SDK.
public struct SyncTable: Sendable {
    /// The table's context.
    public let context: SyncContext
    /// The table's declaration, which lists the columns that are stored locally.
    public let declaration: TableDeclaration

    /// The table's name, as declared.
    public var name: String { declaration.name }

    // MARK: Reading

    /// Returns the local row with the given id, or `nil` if the row does not exist.
    public func read(id: RowID) async throws -> RemoteRow? {
        let declaration = declaration
        return try await context.store.read { try $0.row(id, in: declaration.name).map(declaration.known) }
    }

    /// Returns the local rows that match a query, with all of their columns.
    ///
    /// - Throws: `QueryProblem` for a query that the table does not support, or a store error.
    public func read(_ query: Query = Query()) async throws -> LocalPage {
        let declaration = declaration
        let known = KnownColumns(declaration)
        let rows = try await context.store.read { try $0.rows(in: declaration.name) { known.row($0) } }
        return try RowSelection(declaration: declaration).rows(query, of: rows)
    }

    /// Returns the number of pending operations of this table.
    public func pendingOperationsCount() async throws -> Int {
        let name = name
        return try await context.store.read { try $0.operationCount(in: name) }
    }

    // MARK: Changing

    /// Inserts a row and queues the insert, in one transaction, and returns the row.
    ///
    /// Columns without a value get their default values. If `id` is `nil`, the row gets a new UUID.
    ///
    /// - Throws: ``SyncError/Code/syncActionInvalid`` if the row exists or its deletion is pending.
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

    /// Updates columns of a row and queues the update, in one transaction, and returns the stored row.
    ///
    /// - Throws: ``SyncError/Code/itemNotFound`` if the row does not exist, or ``SyncError/Code/syncActionInvalid`` if
    ///   its deletion is pending.
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

    /// Deletes a row and, if the row was sent to the server, queues the deletion, in one transaction.
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

    private static func apply(
        _ change: OperationCollapse.Change,
        _ operation: TableOperation,
        to pending: TableOperation?,
        _ store: any SyncTransaction
    ) throws {
        switch (change, pending) {
        case (.add, let pending):
            // The error record of the pending operation does not include this change, so the record is removed.
            if let pending { try store.removeErrors(of: pending.id) }
            try store.add(operation)
        case (_, nil): try store.add(operation)
        case (.nothing, _): break
        case (.keep, let pending?): try store.removeErrors(of: pending.id)
        case (.remove, let pending?):
            // The server may have a row with this id, which the next pull must then fetch.
            if pending.key != nil { try store.markSkipped(pending.itemID, in: pending.table) }
            try store.removeOperation(pending.id)
        case (.becomeDelete, var pending?):
            pending.kind = .delete
            // The attempted insert is sent again before the deletion, so the operation keeps the insert's key and row.
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
