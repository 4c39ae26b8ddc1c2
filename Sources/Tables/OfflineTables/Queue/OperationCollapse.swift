/// The table of collapses: what becomes of the operation that waits when its row changes again, and when its answer is a
/// refusal.
enum OperationCollapse {
    /// The effect of a new change on the queue.
    enum Change: Hashable {
        /// The change is an operation of its own, behind all others.
        case add
        /// The operation that waits stands for both.
        case keep
        /// Nothing needs to be sent any more.
        case remove
        /// The operation that waits becomes a deletion, at its place.
        case becomeDelete
        /// Nothing happens.
        case nothing
    }

    /// The effect of a refusal on the refused operation and the one behind it.
    enum Refusal: Hashable {
        /// Both stay, and the refusal is recorded.
        case keepBoth
        /// The refused one becomes the deletion.
        case becomeDelete
        /// Neither is sent again.
        case removeBoth
        /// The refused one stands for both.
        case removeSecond
    }

    /// The effect of a new change.
    ///
    /// - Parameters:
    ///   - kind: The new change.
    ///   - pending: The last operation of the same row; nil if there is none.
    /// - Returns: The effect.
    /// - Throws: ``SyncError/Code/syncActionInvalid`` for a change that cannot follow.
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
            // The server may have the row: only a deletion that reaches it is one.
            case .attempted: return .becomeDelete
            }
        }
    }

    /// The effect of a refusal that is the server's last word: nothing of the first operation was done.
    static func refusal(of first: TableOperation.Kind, before second: TableOperation.Kind) -> Refusal {
        switch (first, second) {
        case (.delete, _), (_, .insert): .keepBoth
        case (.update, .delete): .becomeDelete
        case (.insert, .delete): .removeBoth
        case (.insert, .update), (.update, .update): .removeSecond
        }
    }

    /// The server may have done the operation, or be doing it: what it was sent must not change.
    private static func isOpen(_ operation: TableOperation) -> Bool {
        switch operation.state {
        case .pending: false
        case .inFlight, .attempted: true
        }
    }
}
