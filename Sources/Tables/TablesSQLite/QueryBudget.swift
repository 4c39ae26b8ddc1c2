import GRDBSQLite
public import Moments
import Synchronization

/// Limits the steps of SQLite's virtual machine, the time and the page size for one query of a client.
///
/// A string function uses up steps in proportion to the bytes that it processes. Work that is not measured in steps is
/// limited only by time.
public final class QueryBudget: Sendable {
    /// The limits on steps, time and bytes.
    public struct Limits: Hashable, Sendable {
        /// The maximum number of steps of SQLite's virtual machine.
        public let steps: Int
        /// The maximum time from the start of the query.
        public let time: Duration
        /// The maximum size of the resulting page, in bytes.
        public internal(set) var bytes = Int.max

        /// The limits for a read that runs on the calling thread, with a time limit of 20 milliseconds.
        public static let short = Limits(steps: 200_000, time: .milliseconds(20), bytes: 256 * 1024)
        /// The limits for any query, with a time limit of 5 seconds.
        public static let whole = Limits(steps: 200_000_000, time: .seconds(5))
    }

    /// The number of bytes that a C function processes in the time that one step takes.
    static let searchedPerStep = 32
    /// The number of bytes that a Swift function processes in the time that one step takes.
    static let rewrittenPerStep = 2
    /// The number of steps between two checks of the budget, so a query can exceed its budget by this number.
    static let stride = 1000

    /// The budget of the query that this task runs, or `nil` if the query has no budget.
    @TaskLocal static var current: QueryBudget?

    /// The initial limits.
    public let limits: Limits
    private let clock: MomentClock
    private let deadline: Deadline
    private let rest: Atomic<Int>

    /// Creates a budget whose time limit starts now.
    public init(_ limits: Limits, clock: MomentClock) {
        self.limits = limits
        self.clock = clock
        deadline = Deadline(limits.time, after: clock.now)
        rest = Atomic(limits.steps)
    }

    var isSpent: Bool { rest.load(ordering: .relaxed) < 0 }

    /// Uses up the budget, so that an abandoned query stops at its next check.
    public func end() {
        rest.store(-1, ordering: .relaxed)
    }

    func spend(_ steps: Int) -> Bool {
        guard rest.subtract(steps, ordering: .relaxed).newValue >= 0 else { return false }
        guard deadline.hasPassed(at: clock.now) else { return true }
        end()
        return false
    }

    /// Charges `bytes` to this task's query, and returns whether the query can continue (`true` without a budget).
    static func allows(_ bytes: Int, perStep: Int) -> Bool {
        // The cost of processing a short value is included in the cost of the step.
        guard bytes > 256, let current else { return true }
        return current.spend(bytes / perStep)
    }

    /// Runs `body`, and stops the connection's statements when the budget is used up.
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

/// The error for a query that exceeded its budget or produced a value that is too long.
public struct QueryTooCostly: Error, Hashable, Sendable {
    /// Creates the error.
    public init() {}
}
