import Synchronization

/// The query plans of all statements in the databases that a task opens, for tests.
public final class StatementPlans: Sendable {
    /// The collection to which databases add their query plans, or `nil` if no test collects them.
    @TaskLocal public static var current: StatementPlans?

    private struct State {
        var open: [(database: DurableDatabase, log: StatementLog)] = []
        var scans: [String] = []
    }

    /// The tables that may be scanned, each with its maximum number of rows.
    private let bounded: [String: Int]
    /// Excerpts of statements that are allowed to scan a table, with the reason for each.
    private let exceptions: [String: String]
    private let state = Mutex(State())

    /// Creates an empty collection.
    public init(bounded: [String: Int] = [:], exceptions: [String: String] = [:]) {
        self.bounded = bounded
        self.exceptions = exceptions
    }

    /// The statements of the open databases, without their arguments.
    public var statements: [String] { state.withLock { $0.open.flatMap(\.log.statements) } }

    /// Returns how often statements that contain `text` ran in the open databases.
    public func count(containing text: String) -> Int {
        state.withLock { $0.open.reduce(0) { $0 + $1.log.count(containing: text) } }
    }

    /// Adds an opened database, without the statements that have already run, such as the steps of the schema.
    func opened(_ database: DurableDatabase, _ log: StatementLog) {
        log.removeAll()
        state.withLock { $0.open.append((database, log)) }
    }

    func closing(_ database: DurableDatabase) throws {
        let found = state.withLock { state in
            let logs = state.open.filter { $0.database.pool === database.pool }
            state.open.removeAll { $0.database.pool === database.pool }
            return logs
        }
        let scans = try found.flatMap { try $0.database.scans(in: $0.log, bounded: bounded) }
        let refused = scans.filter { scan in !exceptions.keys.contains { scan.contains($0) } }
        state.withLock { $0.scans += refused }
    }

    /// Returns the query plans of all databases, limited to plans that scan a whole table.
    public func scans() throws -> [String] {
        for (database, _) in state.withLock({ $0.open }) { try closing(database) }
        return state.withLock { $0.scans }
    }
}
