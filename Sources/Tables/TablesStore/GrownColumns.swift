import Synchronization
import Tables
import TablesSQLite

/// The columns that rows made in tables whose schema is dynamic; shared by the stores of all configurations.
final class GrownColumns: Sendable {
    private struct State {
        var columns: [String: [TableColumn]] = [:]
        /// The statements by table and what was configured of it; made anew when a column is added.
        var sql: [String: TableSQL] = [:]
    }

    private let state = Mutex(State())

    /// The statements of a table with all its columns.
    ///
    /// - Parameter table: The table as configured.
    /// - Returns: The statements; columns that rows made stand behind the configured ones.
    func sql(_ table: TableDeclaration) -> TableSQL {
        let name = table.name.lowercased()
        return state.withLock { state in
            let wide = (try? table.adding(state.columns[name] ?? [])) ?? table
            if let sql = state.sql[name], sql.definition == wide { return sql }
            let sql = TableSQL(wide)
            state.sql[name] = sql
            return sql
        }
    }

    /// Takes columns that are in the database now; those that are known stay as they are.
    func add(_ columns: [TableColumn], to table: String) {
        state.withLock { state in
            var all = state.columns[table] ?? []
            for column in columns where !all.contains(where: { $0.name.lowercased() == column.name.lowercased() }) {
                all.append(column)
            }
            state.columns[table] = all
        }
    }
}
