import Tables
public import TablesClient

/// Methods, named as in `MSTableOperationError`, that resolve a rejection or conflict and remove its error record.
extension SyncContext {
    /// Discards the local change and stores `item`, which usually is the server's row.
    ///
    /// - Throws: ``SyncError/Code/cancelInvalid`` for an item with a different id, or
    ///   ``SyncError/Code/operationNotFound`` if the operation is no longer in the queue.
    public func cancelOperationAndUpdateItem(_ error: TableOperationError, _ item: RemoteRow) async throws {
        try await resolve(error) { operation, change, store in
            guard item.id == operation.itemID else {
                throw SyncError(.cancelInvalid, .otherRow)
            }
            try change.removeNewer(store)
            try change.done(item, store)
        }
    }

    /// Discards the local change and the local row, so the next pull fetches the server's row.
    public func cancelOperationAndDiscardItem(_ error: TableOperationError) async throws {
        try await resolve(error) { operation, _, store in
            for operation in try store.operations(of: operation.itemID, in: operation.table) {
                try store.removeOperation(operation.id)
            }
            try store.removeRow(operation.itemID, from: operation.table)
            // Earlier pulls skipped the row because of its pending change, so the next pull must fetch it.
            try store.markSkipped(operation.itemID, in: operation.table)
        }
    }

    /// Removes the operation, and leaves the local row unchanged until a pull fetches the server's row.
    public func cancelOperation(_ error: TableOperationError) async throws {
        try await resolve(error) { operation, change, store in
            try change.removeNewer(store)
            try store.removeOperation(operation.id)
            try store.markSkipped(operation.itemID, in: operation.table)
        }
    }

    /// Keeps the operation, and replaces its row with `item`.
    ///
    /// If `item` has the same version as the server's row, the next push overwrites the server's row.
    public func keepOperationAndUpdateItem(_ error: TableOperationError, _ item: RemoteRow) async throws {
        try await modifyOperationType(error, error.operation, item)
    }

    /// Changes the operation's kind, and also its row if `item` is not `nil`.
    ///
    /// - Throws: ``SyncError/Code/itemNotFound`` if `kind` is not a deletion and no row is known, or
    ///   ``SyncError/Code/cancelInvalid`` if `item` has a different id.
    public func modifyOperationType(
        _ error: TableOperationError,
        _ kind: TableOperation.Kind,
        _ item: RemoteRow? = nil
    ) async throws {
        if let item, item.id != error.itemID {
            throw SyncError(.cancelInvalid, .otherRow)
        }
        try await resolve(error) { operation, change, store in
            try change.removeNewer(store)
            let row = try item ?? store.row(operation.itemID, in: operation.table) ?? operation.item
            var operation = operation
            // An insert that could still reach the server keeps its key, because it must be sent before a deletion.
            if !operation.mayStillArrive { operation.key = nil }
            if row?.version != nil { operation.key = nil }
            operation.kind = kind
            operation.state = .pending
            operation.item = row
            // The server's values are the base only if the row has the same version as the server's row.
            let theirs = error.serverItem
            operation.base = row?.version != nil && row?.version == theirs?.version ? theirs?.values : nil
            switch kind {
            case .delete: try store.removeRow(operation.itemID, from: operation.table)
            case .insert, .update:
                guard let row else { throw SyncError(.itemNotFound, .rowUnknown) }
                try store.save(row, in: operation.table)
            }
            try store.save(operation)
            try store.removeErrors(of: operation.id)
        }
    }

    /// Resolves a recorded conflict or rejection, and lets the next push send the result.
    ///
    /// For a rejection, ``ConflictResolution/theirs`` restores the last known state of the server's row or removes the
    /// local row, and ``ConflictResolution/mine`` sends the same operation again.
    public func resolve(_ error: TableOperationError, by resolution: ConflictResolution) async throws {
        let theirs = error.serverItem.map(try declaration(error.table).known)
        try await resolve(error) { operation, change, store in
            switch resolution {
            case .record: break
            case .mine where theirs == nil && error.statusCode != 404: try store.removeErrors(of: operation.id)
            case .mine: _ = try change.forced(over: theirs, store)
            case .theirs: try change.givenUp(for: theirs ?? (error.statusCode == 404 ? change.absent : nil), store)
            case .merged(let values): _ = try change.merged(values, over: theirs, store)
            case .delete:
                let changed = try change.deleting(theirs, store)
                // A row that was never inserted need not be deleted, unless the server has a row with its id.
                let isNowhere = theirs == nil && !error.isConflict && operation.state == .pending
                if isNowhere, operation.kind == .insert { try store.removeOperation(changed.id) }
            }
        }
    }

    /// Records that the user has seen these errors, so a later decision applies to the row versions in them.
    public func markShown(_ errors: [TableOperationError]) async throws {
        guard errors.contains(where: \.isUnseen) else { return }
        try await store.write { store in
            let stored = Set(try store.errors(in: nil).map(\.id))
            for var error in errors where error.isUnseen && stored.contains(error.id) {
                error.isUnseen = false
                try store.save(error)
            }
        }
    }

    private func resolve(
        _ error: TableOperationError,
        _ body: @escaping @Sendable (TableOperation, QueueChange, any SyncTransaction) throws -> Void
    ) async throws {
        let declaration = try declaration(error.table)
        try await exclusively {
            try await change(error.table) { store in
                let operations = try store.operations(of: error.itemID, in: error.table)
                guard let operation = operations.first(where: { $0.id == error.operationID }) else {
                    throw SyncError(.operationNotFound, .operationGone)
                }
                // A decision is valid only if the stored error record still contains the two rows that the user saw.
                guard
                    try store.errors(of: operation.id).contains(where: {
                        $0.item == error.item && $0.serverItem == error.serverItem
                    })
                else {
                    throw SyncError(.operationNotFound, .operationChanged)
                }
                try body(operation, QueueChange(operation, declaration), store)
            }
        }
    }
}
