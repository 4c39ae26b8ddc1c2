import TestSupport
import Testing

extension Trait where Self == StatementCheck {
    /// A table of rows is never read whole but for these.
    static var indexedStatements: Self {
        StatementCheck(
            exceptions: [
                "SET bytes = ": "uncounts a dropped column: once, by an operator",
                "SELECT EXISTS (SELECT 1 FROM \"t_": "reads one row at most",
            ]
        )
    }
}
