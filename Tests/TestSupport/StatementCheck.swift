// A release linked without shared libraries builds this target as well, and there is no library of tests for it.
#if canImport(Testing)
import DurableSQLite
public import Testing

/// Looks at the plan of every statement that the stores of a test ran; one that reads a whole table fails the test.
///
/// So no statement can be forgotten, as from a list. A test's own statement that reads everything begins with a comment.
public struct StatementCheck: SuiteTrait, TestTrait, TestScoping {
    /// It holds for every test of a suite.
    public let isRecursive = true
    private let bounded: [String: Int]
    private let exceptions: [String: String]

    /// A check that lets some tables be read whole.
    ///
    /// - Parameters:
    ///   - bounded: Small tables, each with the greatest number of its rows.
    ///   - exceptions: Parts of statements that may read any table whole, each with the reason.
    public init(bounded: [String: Int] = [:], exceptions: [String: String] = [:]) {
        self.bounded = bounded
        self.exceptions = exceptions
    }

    /// Runs the test and looks at its statements.
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
