import TestSupport
import Testing

extension Trait where Self == StatementCheck {
    /// A table of rows is never read whole but for these.
    static var indexedStatements: Self {
        StatementCheck(
            exceptions: [
                "SET bytes = ":
                    "counts a table of an earlier schema, or uncounts a dropped column: once, by an operator",
                "SELECT owner, count(*), sum(bytes)": "counts a table of an earlier schema, once",
                "SELECT EXISTS (SELECT 1 FROM \"t_": "reads one row at most",
            ]
        )
    }
}
