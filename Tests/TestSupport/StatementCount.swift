import DurableSQLite

/// Counts the statements that the stores of a test run.
public struct StatementCount: Sendable {
    private let plans = StatementPlans()

    /// Counts nothing yet.
    public init() {}

    /// Opens stores whose statements are counted.
    public func opening<Store>(_ open: () throws -> Store) rethrows -> Store {
        try StatementPlans.$current.withValue(plans, operation: open)
    }

    /// The number of times that statements with a text ran.
    public func callAsFunction(containing text: String) -> Int { plans.count(containing: text) }
}
