import Synchronization

/// The plans of every statement that the databases opened within a task ran, so that a test can look at all of them.
public final class StatementPlans: Sendable {
    /// The plans that databases add theirs to, if somebody asks for them.
    @TaskLocal public static var current: StatementPlans?

    private struct State {
        var open: [(database: DurableDatabase, log: StatementLog)] = []
        var scans: [String] = []
    }

    /// Tables that may be read whole, each with the greatest number of its rows.
    private let bounded: [String: Int]
    /// Parts of statements that may read a whole table, each with the reason.
    private let exceptions: [String: String]
    private let state = Mutex(State())

    /// No plans yet.
    public init(bounded: [String: Int] = [:], exceptions: [String: String] = [:]) {
        self.bounded = bounded
        self.exceptions = exceptions
    }

    /// The statements of the databases that are open, without their arguments.
    public var statements: [String] { state.withLock { $0.open.flatMap(\.log.statements) } }

    /// The number of times that statements with a text ran in the databases that are open.
    public func count(containing text: String) -> Int {
        state.withLock { $0.open.reduce(0) { $0 + $1.log.count(containing: text) } }
    }

    /// Begins with a database that is open; the steps of its schema, which are taken once, do not count.
    func opened(_ database: DurableDatabase, _ log: StatementLog) {
        log.removeAll()
        state.withLock { $0.open.append((database, log)) }
    }

    /// Looks at the statements of a database that is about to be closed.
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

    /// The plans that read a whole table, of all databases; each is looked at once.
    ///
    /// - Throws: The error of SQLite.
    public func scans() throws -> [String] {
        for (database, _) in state.withLock({ $0.open }) { try closing(database) }
        return state.withLock { $0.scans }
    }
}
