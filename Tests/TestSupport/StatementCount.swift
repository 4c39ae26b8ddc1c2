import DurableSQLite

/// Counts the statements that a test's stores run.
public struct StatementCount: Sendable {
    private let plans = StatementPlans()

    /// Creates a counter.
    public init() {}

    /// Opens stores whose statements are counted.
    public func opening<Store>(_ open: () throws -> Store) rethrows -> Store {
        try StatementPlans.$current.withValue(plans, operation: open)
    }

    /// Returns how often statements that contain a given string ran.
    public func callAsFunction(containing text: String) -> Int { plans.count(containing: text) }
}
