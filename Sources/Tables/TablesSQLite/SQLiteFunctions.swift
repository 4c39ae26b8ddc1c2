public import GRDB
import GRDBSQLite
import Tables
import TablesSQL

/// The functions that statements call and SQLite lacks, or has in a form that a hostile query could use.
public enum SQLiteFunctions {
    /// Bytes of the longest value, which bounds what a query makes of texts; a row with its sort keys is shorter.
    static let maxLength = 5 * 1024 * 1024

    /// Adds them to a connection, and bounds the values that it handles.
    ///
    /// - Throws: The error of SQLite.
    public static func add(_ db: Database) throws {
        sqlite3_limit(db.sqliteConnection, SQLITE_LIMIT_LENGTH, Int32(maxLength))
        // Sorted data is as long as the rows are, and so may not stay in memory.
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
    /// Bytes of a text.
    fileprivate var length: Int {
        if case .text(let text) = self { text.utf8.count } else { 0 }
    }

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
