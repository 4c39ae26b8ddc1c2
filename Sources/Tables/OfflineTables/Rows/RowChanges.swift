public import Tables
public import TablesClient

/// Changes among the rows that a query finds.
public struct RowChange: Hashable, Sendable {
    /// The rows that it finds and did not find before, in its order.
    public let inserted: [RemoteRow]
    /// The rows that it found before with other values, in its order.
    public let updated: [RemoteRow]
    /// The ids of the rows that it no longer finds.
    public let removed: [RowID]
}

/// The rows that a query finds in the store, as they change: first all of them as inserted, then each difference.
///
/// Changes made through the same ``SyncContext`` are seen: local ones, those of pulls, and those of pushes.
public struct RowChanges: AsyncSequence, Sendable {
    /// A difference.
    public typealias Element = RowChange
    /// The store's, or the query's.
    public typealias Failure = any Error

    let table: SyncTable
    let query: Query

    /// The beginning: every row that the query finds.
    public func makeAsyncIterator() -> AsyncIterator {
        AsyncIterator(self, table.context.watchers.watch(table.name).makeAsyncIterator())
    }

    /// The state of one loop.
    public struct AsyncIterator: AsyncIteratorProtocol {
        /// The store's, or the query's.
        public typealias Failure = any Error

        private let changes: RowChanges
        private var signals: AsyncStream<Void>.AsyncIterator
        private var known: [RowID: RemoteRow]?

        init(_ changes: RowChanges, _ signals: AsyncStream<Void>.AsyncIterator) {
            self.changes = changes
            self.signals = signals
        }

        /// Waits for the next difference; nil when the task is cancelled.
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
    /// The rows that a query finds here, as they change.
    public func changes(of query: Query = Query()) -> RowChanges { RowChanges(table: self, query: query) }
}
