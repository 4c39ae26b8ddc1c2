public import GRDB
import GRDBSQLite
import Tables
import TablesSQL

/// SQL functions that SQLite lacks, or implements in a way that a hostile query could exploit.
public enum SQLiteFunctions {
    /// The maximum length of a value or a stored row in bytes, which is enough for the longest row and its sort keys.
    static let maxLength = 5 * 1024 * 1024

    /// Adds the functions to a connection, and limits the length of the connection's values.
    public static func add(_ db: Database) throws {
        sqlite3_limit(db.sqliteConnection, SQLITE_LIMIT_LENGTH, Int32(maxLength))
        // The data that a query sorts can be as large as all of its rows, so it must not be stored in memory.
        try db.execute(sql: "PRAGMA temp_store = FILE")
        try TextFunctions.add(db)
        for function in SQLFunction.all {
            db.add(
                function: DatabaseFunction(function.name, argumentCount: function.arity, pure: true) { values in
                    let arguments = values.map(value)
                    let bytes = arguments.reduce(0) { $0 + $1.length }
                    guard QueryBudget.allows(bytes, perStep: QueryBudget.rewrittenPerStep) else {
                        throw DatabaseError(resultCode: .SQLITE_INTERRUPT)
                    }
                    return function.body(arguments).stored
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
    fileprivate var length: Int {
        if case .text(let text) = self { text.utf8.count } else { 0 }
    }

    fileprivate var stored: DatabaseValue {
        switch self {
        case .null: .null
        case .integer(let value): value.databaseValue
        case .real(let value): value.databaseValue
        case .text(let value): value.databaseValue
        }
    }
}
