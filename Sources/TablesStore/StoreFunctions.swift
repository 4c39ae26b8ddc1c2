import GRDB
import Tables
import TablesSQL

/// The functions that statements call and SQLite lacks.
enum StoreFunctions {
    /// Adds them to a connection.
    static func add(_ db: Database) {
        for function in SQLFunction.all {
            db.add(
                function: DatabaseFunction(function.name, argumentCount: function.arity, pure: true) { values in
                    function.body(values.map(value)).stored
                }
            )
        }
        db.add(
            function: DatabaseFunction(TableSQL.versionFunction, argumentCount: 1, pure: true) { values in
                Int64.fromDatabaseValue(values[0]).map { RowVersion(updatedAt: $0).description }
            }
        )
    }

    private static func value(_ value: DatabaseValue) -> SQLValue {
        switch value.storage {
        case .null, .blob: .null
        case .int64(let value): .integer(value)
        case .double(let value): .real(value)
        case .string(let value): .text(value)
        }
    }
}

extension SQLValue {
    /// The value as the database keeps it.
    fileprivate var stored: DatabaseValue {
        switch self {
        case .null: .null
        case .integer(let value): value.databaseValue
        case .real(let value): value.databaseValue
        case .text(let value): value.databaseValue
        }
    }
}
