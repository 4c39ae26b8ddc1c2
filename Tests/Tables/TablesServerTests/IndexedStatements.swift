import TestSupport
import Testing

extension Trait where Self == StatementCheck {
    /// Fails a test if one of its statements, other than those listed here, scans a whole table of rows.
    static var indexedStatements: Self {
        StatementCheck(
            exceptions: [
                "SET bytes = ": "uncounts a dropped column: once, by an operator",
                "SELECT EXISTS (SELECT 1 FROM \"t_": "reads one row at most",
            ]
        )
    }
}
