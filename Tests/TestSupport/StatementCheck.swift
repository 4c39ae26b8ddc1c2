// A statically linked release also builds this target, but the testing library is missing there.
#if canImport(Testing)
import DurableSQLite
public import Testing

/// Examines the query plan of every statement that a test's stores ran.
///
/// A statement that scans a whole table fails the test.
///
/// Because all statements are examined, none can be forgotten. A test's own statement that scans a table begins with a
/// comment.
public struct StatementCheck: SuiteTrait, TestTrait, TestScoping {
    /// Applies to every test of a suite.
    public let isRecursive = true
    private let bounded: [String: Int]
    private let exceptions: [String: String]

    /// Creates a check with exceptions.
    ///
    /// - Parameters:
    ///   - bounded: Small tables that may be scanned, each with its maximum number of rows.
    ///   - exceptions: Parts of statements that may scan any table, each with the reason.
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
