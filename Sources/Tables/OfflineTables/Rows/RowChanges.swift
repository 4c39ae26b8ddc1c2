public import Tables
public import TablesClient

/// A change to the result of a query.
public struct RowChange: Hashable, Sendable {
    /// The rows that were added to the result, in the query's order.
    public let inserted: [RemoteRow]
    /// The rows in the result whose values changed, in the query's order.
    public let updated: [RemoteRow]
    /// The ids of the rows that were removed from the result.
    public let removed: [RowID]
}

/// The changes to a query's result that are made through the same ``SyncContext``, including pulls and pushes.
///
/// The first element reports all existing rows as inserted.
public struct RowChanges: AsyncSequence, Sendable {
    /// A change since the previous element.
    public typealias Element = RowChange
    /// A store error, or an error in the query.
    public typealias Failure = any Error

    let table: SyncTable
    let query: Query

    /// Returns an iterator whose first element contains all rows of the result.
    public func makeAsyncIterator() -> AsyncIterator {
        AsyncIterator(self, table.context.watchers.watch(table.name).makeAsyncIterator())
    }

    /// An iterator over the changes.
    public struct AsyncIterator: AsyncIteratorProtocol {
        /// A store error, or an error in the query.
        public typealias Failure = any Error

        private let changes: RowChanges
        private var signals: AsyncStream<Void>.AsyncIterator
        private var known: [RowID: RemoteRow]?

        init(_ changes: RowChanges, _ signals: AsyncStream<Void>.AsyncIterator) {
            self.changes = changes
            self.signals = signals
        }

        /// Waits for the next change, or returns `nil` when the task is cancelled.
        public mutating func next() async throws -> RowChange? {
            while true {
                let isFirst = known == nil
                if !isFirst, await signals.next() == nil { return nil }
                let rows = try await changes.table.read(changes.query).rows
                let old = known ?? [:]
                let new = Dictionary(rows.map { ($0.id, $0) }) { first, _ in first }
                known = new
                let change = RowChange(
                    inserted: rows.filter { old[$0.id] == nil },
                    updated: rows.filter { row in old[row.id].map { $0 != row } ?? false },
                    removed: old.keys.filter { new[$0] == nil }.sorted()
                )
                let isEmpty = change.inserted.isEmpty && change.updated.isEmpty && change.removed.isEmpty
                if isFirst || !isEmpty { return change }
            }
        }
    }
}

extension SyncTable {
    /// Returns a sequence of the changes to the result of a query in the local store.
    public func changes(of query: Query = Query()) -> RowChanges { RowChanges(table: self, query: query) }
}
