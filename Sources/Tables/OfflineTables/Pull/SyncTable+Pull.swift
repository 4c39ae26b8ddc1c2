public import Tables
import TablesClient

extension SyncTable {
    /// The operations that are sent before a pull.
    public enum PushesFirst: Hashable, Sendable {
        /// Those of every table.
        case everything
        /// Those of the pulled table.
        case thisTable
        /// None: rows with a pending edit are left alone.
        case nothing

        fileprivate func tables(_ name: String) -> Set<String>? {
            switch self {
            case .everything: nil
            case .thisTable: [name]
            case .nothing: []
            }
        }
    }

    /// The settings of a pull (`MSPullSettings`).
    public struct PullSettings: Hashable, Sendable {
        /// Rows that one request asks for; a value below 1 stands for 50.
        public var pageSize = 50
        /// The operations that are pushed before the pull, if the table has any that wait.
        public var pushesFirst = PushesFirst.everything
        /// Forgets what was pulled before, and drops rows that the server no longer has, but none with a pending edit.
        ///
        /// Rows are dropped only where all of the query's came: not with a top, a skip or parameters of its own.
        public var isFull = false

        /// The usual settings.
        public init() {}
    }

    /// Brings rows from the server (`pullWithQuery`).
    ///
    /// Operations that wait are pushed first, as ``PullSettings/pushesFirst`` says; those that are refused stop nothing,
    /// and rows with a pending edit are left alone.
    ///
    /// - Parameters:
    ///   - query: The rows; it has no selection and no count.
    ///   - queryID: Names the query, so that only what changed since its last pull is asked for: a letter and at most 24
    ///     letters, digits, `-` and `_`; the query has no order, skip or top then. Nil pulls everything each time.
    ///   - settings: The settings.
    /// - Returns: The numbers of what came.
    /// - Throws: ``SyncError`` for a query that cannot be pulled and for a push that ended early; `TablesError` for a
    ///   request that failed. What came before is kept.
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
                    // Refused rows wait for their owner; the others of the table need not.
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

/// The numbers of a pull.
public struct PullReport: Hashable, Sendable {
    /// Rows that came and were kept; one that was here already as it came is not counted.
    public internal(set) var kept = 0
    /// Rows that the server has deleted.
    public internal(set) var deleted = 0
    /// The rows that were left alone, since an edit of theirs waits.
    public internal(set) var leftAlone: Set<RowID> = []
    /// Rows that the server no longer had, in a full pull.
    public internal(set) var dropped = 0
    /// Requests.
    public internal(set) var pages = 0
    /// The query id stood for another query before, so that the pull began anew.
    public internal(set) var startedOver = false

    /// A pull that has brought nothing.
    public init() {}
}
