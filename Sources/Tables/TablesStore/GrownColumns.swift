import Synchronization
import Tables
import TablesSQLite

/// The columns that writes added to tables with a dynamic schema, shared by the stores before and after a reload.
final class GrownColumns: Sendable {
    private struct State {
        var columns: [String: [TableColumn]] = [:]
        var sql: [String: TableSQL] = [:]
    }

    private let state = Mutex(State())

    /// Returns the statements for a configured table, in which added columns follow the configured columns.
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
