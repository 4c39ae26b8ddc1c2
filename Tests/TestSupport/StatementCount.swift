import DurableSQLite

/// Counts the statements that a test's stores run.
public struct StatementCount: Sendable {
    private let plans = StatementPlans()

    /// Creates a counter.
    public init() {}

    /// Runs `open`, and counts the statements of the stores that `open` opens.
    public func opening<Store>(_ open: () throws -> Store) rethrows -> Store {
        try StatementPlans.$current.withValue(plans, operation: open)
    }

    /// Returns how often statements that contain `text` ran.
    public func callAsFunction(containing text: String) -> Int { plans.count(containing: text) }
}
