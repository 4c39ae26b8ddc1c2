// Statically linked release builds also compile this target, but they have no testing library.
#if canImport(Testing)
import DurableSQLite
public import Testing

/// A trait that examines the query plan of every statement that the stores of a test run.
///
/// A statement that scans a whole table fails the test.
///
/// A test's own statement may scan a table if the statement begins with a comment.
public struct StatementCheck: SuiteTrait, TestTrait, TestScoping {
    /// Whether the check applies to every test of a suite.
    public let isRecursive = true
    private let bounded: [String: Int]
    private let exceptions: [String: String]

    /// Creates a check with exceptions.
    ///
    /// - Parameters:
    ///   - bounded: The small tables that may be scanned, each with its maximum number of rows.
    ///   - exceptions: Excerpts of the statements that may scan any table, each with the reason.
    public init(bounded: [String: Int] = [:], exceptions: [String: String] = [:]) {
        self.bounded = bounded
        self.exceptions = exceptions
    }

    /// Runs the test and examines its statements.
    public func provideScope(
        for test: Test,
        testCase: Test.Case?,
        performing function: @Sendable () async throws -> Void
    ) async throws {
        let plans = StatementPlans(bounded: bounded, exceptions: exceptions)
        try await StatementPlans.$current.withValue(plans, operation: function)
        for scan in try plans.scans() { Issue.record("reads a whole table: \(scan)") }
    }
}
#endif
