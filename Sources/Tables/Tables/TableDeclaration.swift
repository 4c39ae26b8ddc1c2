/// The declaration of a table, with its columns, its options and the clients that can perform each operation.
public struct TableDeclaration: Hashable, Sendable {
    /// The clients that can perform an operation.
    public enum Access: String, CaseIterable, Sendable {
        /// All clients, even without a token.
        case anonymous
        /// Clients with the application key.
        case application
        /// Clients with a valid token.
        case authenticated
        /// Clients with the master key, or with a token whose groups include `admins`.
        case admin
        case disabled
    }

    /// An operation on rows.
    public enum Verb: String, CaseIterable, Sendable {
        case read
        case insert
        case update
        case delete
    }

    /// The kind of a table's ids.
    public enum IDKind: String, CaseIterable, Sendable {
        /// Strings that the client or the server chooses.
        case string
        /// Whole numbers, starting at 1, that the server assigns.
        case integer

        /// Parses an id from a URL, or returns `nil` if `text` is not a valid id of this kind.
        public func id(_ text: String) -> RowID? {
            switch self {
            case .string: return RowID(text)
            case .integer:
                guard let number = Int64(text), number > 0, "\(number)" == text else { return nil }
                return RowID(number: number)
            }
        }
    }

    /// The protocol version that a table's clients use.
    public enum Compatibility: String, CaseIterable, Sendable {
        /// The names of system columns have no prefix.
        case v2
        /// The names of system columns begin with `__`, and the server returns these columns only on request.
        case v1
    }

    /// The maximum length of a table name or a column name, in characters.
    public static let maxNameLength = 64
    /// The maximum number of columns of a table.
    public static let maxColumns = 100
    /// The names of the columns that the protocol defines, in lower case.
    public static let systemColumns: Set<String> = ["id", "createdat", "updatedat", "version", "deleted"]

    /// The table's name as configured, which is case-insensitive in requests.
    public let name: String
    /// The columns, in the order of the configuration.
    public private(set) var columns: [TableColumn]
    private var places: [String: Int]
    /// The kind of the table's ids.
    public var idKind = IDKind.string
    /// Whether an insert or update with an unknown column adds that column to the table (`dynamicSchema`).
    public var isDynamic = false
    /// The version of the protocol that the table's clients use.
    public var compatibility = Compatibility.v2
    /// The maximum number of rows on a page.
    public var pageSize = 50
    /// The maximum number of rows that one list request can ask for.
    public var maxTop = 1000
    /// Whether each user has separate rows and cannot see other users' rows.
    public var isPerUser = true
    /// Whether a deleted row leaves a tombstone for clients that sync.
    public var hasSoftDelete = true
    /// The number of days for which tombstones are retained.
    public var tombstoneDays = 30
    /// The clients that can perform each operation, with `authenticated` as the default.
    public var access: [Verb: Access] = [:]
    /// The scope required for reading, or `nil` if no scope is required.
    public var readScope: String?
    /// The scope required for every change, or `nil` if no scope is required.
    public var writeScope: String?
    /// The hook that the server calls before an operation runs, or `nil` if the table has no hook.
    public var hook: TableHook?

    /// Creates a table.
    ///
    /// - Throws: ``TableProblem`` for too many columns, or for a name that is repeated, reserved or not valid.
    public init(_ name: String, columns: [TableColumn]) throws(TableProblem) {
        guard name.isTableName else { throw TableProblem(.unusableTableName(name)) }
        guard columns.count <= Self.maxColumns else {
            throw TableProblem(.tooManyColumns(table: name, most: Self.maxColumns))
        }
        var seen = Self.systemColumns
        for column in columns {
            guard column.name.isTableName, seen.insert(column.name.lowercased()).inserted else {
                throw TableProblem(.unusableColumnName(column.name), column: column.name)
            }
        }
        self.name = name
        self.columns = columns
        places = Dictionary(columns.enumerated().map { ($1.name.lowercased(), $0) }) { first, _ in first }
    }

    /// Returns a copy of the declaration with the columns in `more` at the end, except those that it already has.
    ///
    /// - Throws: ``TableProblem`` if the table would have too many columns, or if a column name is not valid.
    public func adding(_ more: [TableColumn]) throws(TableProblem) -> TableDeclaration {
        let missing = more.filter { column($0.name) == nil }
        guard !missing.isEmpty else { return self }
        guard columns.count + missing.count <= Self.maxColumns else {
            throw TableProblem(
                .noMoreColumns(table: name, most: Self.maxColumns),
                column: missing.first?.name
            )
        }
        let whole = try TableDeclaration(name, columns: columns + missing)
        var wider = self
        wider.columns = whole.columns
        wider.places = whole.places
        return wider
    }

    /// Returns which clients can perform `verb`.
    public func access(_ verb: Verb) -> Access { access[verb] ?? .authenticated }

    /// Returns the scope required for `verb`, or `nil` if no scope is required.
    public func scope(_ verb: Verb) -> String? {
        switch verb {
        case .read: readScope
        case .insert, .update, .delete: writeScope
        }
    }

    /// Returns the column with this name, ignoring case, or `nil` if it does not exist.
    public func column(_ name: String) -> TableColumn? {
        (places[name] ?? places[name.lowercased()]).map { columns[$0] }
    }

    /// Returns whether a write can add a new column with this name.
    public func mayGet(_ name: String) -> Bool {
        isDynamic && columns.count < Self.maxColumns && column(name) == nil && name.isTableName
            && !Self.systemColumns.contains(name.lowercased())
    }
}

extension String {
    /// Whether the string is a valid table or column name, without the reserved prefixes `__` and `ms_`.
    fileprivate var isTableName: Bool {
        (1...TableDeclaration.maxNameLength).contains(utf8.count) && first?.isNumber == false && !hasPrefix("__")
            && !lowercased().hasPrefix("ms_")
            && utf8.allSatisfy { $0 == 0x5F || Character(Unicode.Scalar($0)).isASCIIWord }
    }
}

extension Character {
    fileprivate var isASCIIWord: Bool { isASCII && (isLetter || isNumber) }
}

extension TableDeclaration {
    /// The table that contains each user's tasks, which the server uses if the configuration declares no tables.
    public static var todoitem: TableDeclaration {
        get throws(TableProblem) {
            var text = TableColumn("text", .string)
            text.isRequired = true
            text.maxLength = 4096
            var complete = TableColumn("complete", .boolean)
            complete.defaultValue = .boolean(false)
            var priority = TableColumn("priority", .number)
            priority.allowed = [.number(1), .number(2), .number(3)]
            var table = try TableDeclaration(
                "todoitem",
                columns: [
                    text, complete, TableColumn("duration", .number), TableColumn("due", .date),
                    TableColumn("notes", .string),
                    TableColumn("tags", .string), priority,
                ]
            )
            table.readScope = "tasks.read"
            table.writeScope = "tasks.write"
            return table
        }
    }
}
