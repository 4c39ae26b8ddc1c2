import GRDBSQLite
public import Moments
import Synchronization

/// The most that a client's query may cost: steps of SQLite's machine, time, and bytes of the page that is made of it.
///
/// A step may go through a whole text, so the functions that do so say how much they went through, and the clock sees
/// what no step says.
public final class QueryBudget: Sendable {
    /// Steps, time and bytes.
    public struct Limits: Hashable, Sendable {
        /// Steps of SQLite's machine.
        public let steps: Int
        /// Time from its beginning.
        public let time: Duration
        /// Bytes of the page that is made of what it finds.
        public internal(set) var bytes = Int.max

        /// The limits of a read on the thread that asks: some milliseconds.
        public static let short = Limits(steps: 200_000, time: .milliseconds(20), bytes: 256 * 1024)
        /// The limits of any query: some seconds.
        public static let whole = Limits(steps: 200_000_000, time: .seconds(5))
    }

    /// Bytes that a function written in C goes through in the time of a step.
    static let searchedPerStep = 32
    /// Bytes that a function written in Swift goes through in the time of a step.
    static let rewrittenPerStep = 2
    /// Steps between two looks at the budget; each may take as long as a copy of the longest text does.
    static let stride = 1000

    /// The budget of the query that this thread runs.
    @TaskLocal static var current: QueryBudget?

    /// The steps and the time that it began with.
    public let limits: Limits
    private let clock: MomentClock
    private let deadline: Deadline
    private let rest: Atomic<Int>

    /// A budget whose time begins now.
    public init(_ limits: Limits, clock: MomentClock) {
        self.limits = limits
        self.clock = clock
        deadline = Deadline(limits.time, after: clock.now)
        rest = Atomic(limits.steps)
    }

    /// Nothing is left.
    var isSpent: Bool { rest.load(ordering: .relaxed) < 0 }

    /// Takes all that is left, so that the query ends at its next look: nobody waits for it any more.
    public func end() {
        rest.store(-1, ordering: .relaxed)
    }

    /// Takes steps from it.
    ///
    /// - Returns: False if the query must end.
    func spend(_ steps: Int) -> Bool {
        guard rest.subtract(steps, ordering: .relaxed).newValue >= 0 else { return false }
        guard deadline.hasPassed(at: clock.now) else { return true }
        end()
        return false
    }

    /// Takes what going through `bytes` costs from the budget of the query that this thread runs, if there is one.
    ///
    /// - Returns: False if the query must end.
    static func allows(_ bytes: Int, perStep: Int) -> Bool {
        // Work on short values ends within its own step.
        guard bytes > 256, let current else { return true }
        return current.spend(bytes / perStep)
    }

    /// Runs `body`, in which statements of the connection end when nothing is left.
    func limiting<Value>(_ connection: OpaquePointer?, _ body: () throws -> Value) rethrows -> Value {
        let context = Unmanaged.passUnretained(self).toOpaque()
        sqlite3_progress_handler(connection, Int32(Self.stride), Self.look, context)
        defer { sqlite3_progress_handler(connection, 0, nil, nil) }
        return try Self.$current.withValue(self, operation: body)
    }

    private static let look: @convention(c) (UnsafeMutableRawPointer?) -> Int32 = { context in
        guard let context else { return 0 }
        return Unmanaged<QueryBudget>.fromOpaque(context).takeUnretainedValue().spend(stride) ? 0 : 1
    }
}

/// A query took more work than its budget, or made a value that is too long.
public struct QueryTooCostly: Error, Hashable, Sendable {
    /// A query that is given up.
    public init() {}
}
