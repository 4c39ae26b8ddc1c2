import Tables
public import TablesClient

/// The ways to resolve an operation that was refused or is in conflict (`MSTableOperationError`); each takes its error away.
extension SyncContext {
    /// Gives up the change here and keeps `item` in its place, the server's row for example
    /// (`cancelOperationAndUpdateItem`).
    ///
    /// - Throws: ``SyncError/Code/cancelInvalid`` for an item of another id, ``SyncError/Code/operationNotFound``.
    public func cancelOperationAndUpdateItem(_ error: TableOperationError, _ item: RemoteRow) async throws {
        try await resolve(error) { operation, change, store in
            guard item.id == operation.itemID else {
                throw SyncError(.cancelInvalid, .otherRow)
            }
            try change.removeNewer(store)
            try change.done(item, store)
        }
    }

    /// Gives up the change and the row here (`cancelOperationAndDiscardItem`); what the server has of it comes with the
    /// next pull.
    public func cancelOperationAndDiscardItem(_ error: TableOperationError) async throws {
        try await resolve(error) { operation, _, store in
            for operation in try store.operations(of: operation.itemID, in: operation.table) {
                try store.removeOperation(operation.id)
            }
            try store.removeRow(operation.itemID, from: operation.table)
            // Pulls have skipped the row while its change waited.
            try store.markSkipped(operation.itemID, in: operation.table)
        }
    }

    /// Gives up the change and leaves the row here as it is, until a pull brings the server's.
    public func cancelOperation(_ error: TableOperationError) async throws {
        try await resolve(error) { operation, change, store in
            try change.removeNewer(store)
            try store.removeOperation(operation.id)
            try store.markSkipped(operation.itemID, in: operation.table)
        }
    }

    /// Keeps the operation and changes its row to `item` (`keepOperationAndUpdateItem`).
    ///
    /// With the version of the server's row the next push goes over that; a deletion stays one.
    public func keepOperationAndUpdateItem(_ error: TableOperationError, _ item: RemoteRow) async throws {
        try await modifyOperationType(error, error.operation, item)
    }

    /// Changes the kind of the operation (`modifyOperationType`), and with `item` its row
    /// (`modifyOperationType:AndUpdateItem:`).
    ///
    /// - Throws: ``SyncError/Code/itemNotFound`` if a deletion is to become a change and no row is known.
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
            // The key of an insertion that may still arrive stays: a deletion has to come after that.
            if !operation.mayStillArrive { operation.key = nil }
            if row?.version != nil { operation.key = nil }
            operation.kind = kind
            operation.state = .pending
            operation.item = row
            // The columns that the server has are known only beside its row.
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

    /// Decides a recorded conflict or refusal; what it decides is sent by the next push.
    ///
    /// ``ConflictResolution/theirs`` of a refusal goes back to the row as the server was last seen to have it, and gives
    /// up a row that it never had; ``ConflictResolution/mine`` sends the same once more;
    /// ``ConflictResolution/record`` changes nothing.
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
                // A row that never came to be there needs no deletion; one whose id was taken is there.
                let isNowhere = theirs == nil && !error.isConflict && operation.state == .pending
                if isNowhere, operation.kind == .insert { try store.removeOperation(changed.id) }
            }
        }
    }

    /// Notes that the user was shown these records, so that a decision may be about them.
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
                // A decision is about the two sides of its record.
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
