import TestSupport
import Testing

extension Trait where Self == StatementCheck {
    /// A trait that fails a test if one of its statements scans a whole table.
    ///
    /// Statements that contain a key of `exceptions` may scan a table.
    static var indexedStatements: Self {
        StatementCheck(
            exceptions: [
                "SET bytes = ": "uncounts a dropped column: once, by an operator",
                "SELECT EXISTS (SELECT 1 FROM \"t_": "reads one row at most",
            ]
        )
    }
}
