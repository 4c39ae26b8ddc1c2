/// Decides how pending operations on one row are combined after a new change or a rejection.
enum OperationCollapse {
    enum Change: Hashable {
        case add
        /// The pending operation covers both changes.
        case keep
        /// The change and the pending operation cancel each other out, and nothing is sent.
        case remove
        /// The pending operation becomes a deletion and keeps its position.
        case becomeDelete
        case nothing
    }

    /// How a rejection affects the rejected operation and the next operation on the row.
    enum Refusal: Hashable {
        /// Both operations stay, and the rejection is recorded.
        case keepBoth
        /// The rejected operation becomes a deletion, and the next operation is removed.
        case becomeDelete
        case removeBoth
        /// The rejected operation covers both changes, and the next operation is removed.
        case removeSecond
    }

    /// Returns how a new change affects the queue, given the last pending operation on the same row.
    ///
    /// - Throws: ``SyncError/Code/syncActionInvalid`` for a change that cannot follow the pending operation.
    static func change(_ kind: TableOperation.Kind, after pending: TableOperation?) throws(SyncError) -> Change {
        guard let pending else { return .add }
        switch (pending.kind, kind) {
        case (.delete, .delete): return .nothing
        case (_, .insert), (.delete, .update):
            throw SyncError(.syncActionInvalid, .pendingOperation)
        case (.insert, .update), (.update, .update): return isOpen(pending) ? .add : .keep
        case (.update, .delete): return isOpen(pending) ? .add : .becomeDelete
        case (.insert, .delete):
            switch pending.state {
            case .pending: return .remove
            case .inFlight: return .add
            // The server could have the row, so the deletion must be sent.
            case .attempted: return .becomeDelete
            }
        }
    }

    /// Returns how the final rejection of `first`, which the server has not performed, affects the next operation.
    static func refusal(of first: TableOperation.Kind, before second: TableOperation.Kind) -> Refusal {
        switch (first, second) {
        case (.delete, _), (_, .insert): .keepBoth
        case (.update, .delete): .becomeDelete
        case (.insert, .delete): .removeBoth
        case (.insert, .update), (.update, .update): .removeSecond
        }
    }

    /// Returns whether the operation's content must not change, because the server could have performed the operation.
    private static func isOpen(_ operation: TableOperation) -> Bool {
        switch operation.state {
        case .pending: false
        case .inFlight, .attempted: true
        }
    }
}
