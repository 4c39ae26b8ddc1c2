import GRDB
import Tables
import TablesSQL

/// A row of ``SampleTable``, in the form that ``Evaluation`` uses.
struct Sample: Sendable {
    var id: String
    var text: String?
    var other: String?
    var number: Double?
    var whole: Int64?
    var done: Bool?
    var due: Int64?
}

/// An SQLite table whose texts, numbers and dates are edge cases.
struct SampleTable {
    static let columns = [
        SQLColumn(name: "id", sql: "\"id\"", type: .string),
        SQLColumn(name: "text", sql: "\"text\"", type: .string, sortKey: "\"text_key\""),
        SQLColumn(name: "other", sql: "\"other\"", type: .string),
        SQLColumn(name: "number", sql: "\"number\"", type: .number),
        SQLColumn(name: "whole", sql: "\"whole\"", type: .number),
        SQLColumn(name: "done", sql: "\"done\"", type: .boolean),
        SQLColumn(name: "due", sql: "\"due\"", type: .date),
    ]

    static let texts: [String?] = [
        nil, "", "a", "A", "abc", "aBc", "bc", "100%", "100 percent", "a_c", "axc", "Am\u{E9}lie", "Ame\u{301}lie",
        "Amores Perros", "stra\u{DF}e", "  two  ", "it's", "😀x😀", "\\", "\u{301}a", "İ",
    ]
    static let numbers: [Double?] = [nil, 0, 1, -1, 2.5, -2.5, 0.5, 3, 7.25, -7, 1000.125]
    static let wholes: [Int64?] = [nil, 0, 1, -1, 2, -3, 7, -7, 1000]
    static let dates: [Int64?] = [
        nil, 0, -1, 951_782_400_000, 951_868_799_999, 1_709_164_800_000, -11_676_096_000_000, 1_795_251_661_001,
        4_102_444_799_999,
    ]

    static let samples: [Sample] = (0..<60).map { index in
        Sample(
            id: "row\(index)",
            text: texts[index % texts.count],
            other: texts[(index * 7 + 3) % texts.count],
            number: numbers[index % numbers.count],
            whole: wholes[(index * 5 + 1) % wholes.count],
            done: [nil, true, false][index % 3],
            due: dates[(index * 4 + index / 9) % dates.count]
        )
    }

    let sql = QuerySQL(columns: columns)
    private let queue: DatabaseQueue

    init() throws {
        var configuration = Configuration()
        configuration.prepareDatabase { db in
            for function in SQLFunction.all { db.add(function: function.registered) }
        }
        queue = try DatabaseQueue(configuration: configuration)
        try queue.write { db in
            try db.execute(
                sql: """
                    CREATE TABLE sample (id TEXT PRIMARY KEY, text TEXT, text_key TEXT, other TEXT, number REAL, whole INTEGER,
                    done INTEGER, due INTEGER) STRICT
                    """
            )
            for row in Self.samples {
                try db.execute(
                    sql: "INSERT INTO sample VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
                    arguments: [
                        row.id, row.text, row.text.map(SortKey.of), row.other, row.number, row.whole, row.done, row.due,
                    ]
                )
            }
        }
    }

    /// Returns the ids of the rows that match the condition, in the order of their insertion.
    func ids(_ condition: SQLFragment) throws -> [String] {
        try queue.read { db in
            try String.fetchAll(
                db,
                sql: "SELECT id FROM sample WHERE $1 = 1 AND \(condition.sql(from: 2)) ORDER BY rowid",
                arguments: StatementArguments([1.databaseValue] + condition.arguments.map(\.databaseValue))
            )
        }
    }

    func ids(_ filter: String) throws -> [String] { try ids(sql.condition(Filter(parsing: filter))) }

    /// Returns the ids of the rows that match `condition`, sorted by `order`.
    func sorted(_ order: String, where condition: String = "1 = 1") throws -> [String] {
        let keys = try sql.order(try SortTerm.parsing(order))
        return try queue.read { db in
            try String.fetchAll(
                db,
                sql: "SELECT id FROM sample WHERE \(condition) ORDER BY \(keys.sql)",
                arguments: StatementArguments(keys.arguments.map(\.databaseValue))
            )
        }
    }

    /// Returns the result of an SQL expression.
    func value(_ sql: String) throws -> SQLValue {
        try queue.read { db in SQLValue(try DatabaseValue.fetchOne(db, sql: "SELECT \(sql)") ?? .null) }
    }

    /// Returns SQLite's query plan for a selection with this condition.
    func plan(_ condition: SQLFragment) throws -> [String] {
        try queue.read { db in
            try Row.fetchAll(
                db,
                sql: "EXPLAIN QUERY PLAN SELECT id FROM sample WHERE \(condition.sql)",
                arguments: StatementArguments(condition.arguments.map(\.databaseValue))
            ).map { $0["detail"] }
        }
    }
}

extension SQLFunction {
    fileprivate var registered: DatabaseFunction {
        DatabaseFunction(name, argumentCount: arity, pure: true) { [body] values in
            body(values.map(SQLValue.init)).databaseValue
        }
    }
}

extension SQLValue {
    fileprivate init(_ value: DatabaseValue) {
        switch value.storage {
        case .null, .blob: self = .null
        case .int64(let number): self = .integer(number)
        case .double(let number): self = .real(number)
        case .string(let text): self = .text(text)
        }
    }

    fileprivate var databaseValue: DatabaseValue {
        switch self {
        case .null: .null
        case .integer(let number): number.databaseValue
        case .real(let number): number.databaseValue
        case .text(let text): text.databaseValue
        }
    }
}
