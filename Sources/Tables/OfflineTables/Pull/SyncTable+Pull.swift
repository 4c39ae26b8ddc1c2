public import Tables
import TablesClient

extension SyncTable {
    /// The operations that are pushed before a pull.
    public enum PushesFirst: Hashable, Sendable {
        /// The operations of all tables.
        case everything
        /// The operations of the pulled table.
        case thisTable
        /// No operations.
        case nothing

        fileprivate func tables(_ name: String) -> Set<String>? {
            switch self {
            case .everything: nil
            case .thisTable: [name]
            case .nothing: []
            }
        }
    }

    /// The settings of a pull, like `MSPullSettings` in the Azure Mobile Services SDK.
    public struct PullSettings: Hashable, Sendable {
        /// The maximum number of rows per request, or 50 if the value is below 1.
        public var pageSize = 50
        /// The operations that are pushed before the pull if the table has pending operations.
        public var pushesFirst = PushesFirst.everything
        /// Whether to pull all rows again, and to remove local rows that the server no longer has.
        ///
        /// Rows are removed only if they have no pending edit and the pull has no top, skip or custom parameters.
        public var isFull = false
        /// The maximum number of requests in one pull, in case the server never stops sending pages.
        public var maxPages = 100_000

        /// Creates settings with the default values.
        public init() {}
    }

    /// Pushes pending operations, fetches rows, and returns a report on the stored, deleted and skipped rows.
    ///
    /// Rejected operations do not stop the pull, and rows with a pending edit are skipped. The query must not select
    /// columns or request the total number of rows. A pull with a `queryID` fetches only changes since the last pull
    /// with this id, and its query must have no order, skip or top. The id must be a letter followed by at most 24
    /// letters, digits, `-` and `_`.
    ///
    /// - Throws: ``SyncError`` for a query that cannot be pulled or a push that was aborted, or `TablesError` for a
    ///   failed request. Rows that were received before the error remain stored.
    @discardableResult
    public func pull(
        _ query: Query = Query(),
        queryID: String?,
        settings: PullSettings = PullSettings()
    ) async throws -> PullReport {
        try Self.check(query, queryID)
        let client = try context.api()
        return try await context.exclusively {
            if try await pendingOperationsCount() > 0 {
                do {
                    let tables = settings.pushesFirst.tables(name)
                    _ = try await PushRun(context: context, client: client, tables: tables).run()
                } catch let error as SyncError where error.code == .pushCompleteWithErrors {
                    // Rejected operations wait for the user's decision, and other rows can be pulled in the meantime.
                }
            }
            return try await PullRun(
                context: context,
                table: client.table(name),
                declaration: declaration,
                query: query,
                queryID: queryID,
                settings: settings,
                pageSize: settings.pageSize < 1 ? 50 : settings.pageSize
            ).run()
        }
    }

    private static func check(_ query: Query, _ queryID: String?) throws(SyncError) {
        func refuse(_ reason: SyncError.Reason) -> SyncError { SyncError(.invalidParameter, reason) }
        if !query.selection.isEmpty { throw refuse(.pullWithSelection) }
        if query.includesTotalCount { throw refuse(.pullWithCount) }
        let names = query.parameters.map { $0.name.lowercased() }
        if query.includesDeleted || names.contains("__includedeleted") { throw refuse(.pullWithDeleted) }
        guard let queryID else { return }
        guard queryID.wholeMatch(of: /[A-Za-z][A-Za-z0-9_-]{0,24}/) != nil else {
            throw SyncError(.invalidQueryID, .invalidQueryID(String(queryID.prefix(40))))
        }
        if !query.order.isEmpty { throw refuse(.pullWithOrder) }
        if query.top != nil { throw refuse(.pullWithTop) }
        if query.skip != nil { throw refuse(.pullWithSkip) }
    }
}

/// The results of a pull.
public struct PullReport: Hashable, Sendable {
    /// The number of stored rows, without unchanged rows that an incremental pull receives again.
    public internal(set) var kept = 0
    /// The number of local rows that were removed because the server reported them as deleted.
    public internal(set) var deleted = 0
    /// The ids of rows that were skipped because of a pending edit.
    public internal(set) var leftAlone: Set<RowID> = []
    /// The number of local rows that a full pull removed because the server no longer had them.
    public internal(set) var dropped = 0
    /// The number of requests.
    public internal(set) var pages = 0
    /// Whether the pull started over because the query id previously belonged to a different query.
    public internal(set) var startedOver = false

    /// Creates an empty report.
    public init() {}
}
