/// A table as declared: its columns, the ownership of its rows, and the access to its verbs.
public struct TableDeclaration: Hashable, Sendable {
    /// A level of access to a verb.
    public enum Access: String, CaseIterable, Sendable {
        /// Everybody, without a token.
        case anonymous
        /// Holders of the application key.
        case application
        /// Bearers of a valid token.
        case authenticated
        /// Holders of the master key, and bearers of a token of the group `admins`.
        case admin
        /// Nobody.
        case disabled
    }

    /// A kind of access to rows.
    public enum Verb: String, CaseIterable, Sendable {
        /// List and look up.
        case read
        /// Add a row.
        case insert
        /// Change a row.
        case update
        /// Delete a row.
        case delete
    }

    /// The kind of a table's ids.
    public enum IDKind: String, CaseIterable, Sendable {
        /// Texts, of the client's or the server's choice.
        case string
        /// Whole numbers from 1, counted by the server.
        case integer

        /// Reads the id of an address; nil if no row can have it.
        public func id(_ text: String) -> RowID? {
            switch self {
            case .string: return RowID(text)
            case .integer:
                guard let number = Int64(text), number > 0, "\(number)" == text else { return nil }
                return RowID(number: number)
            }
        }
    }

    /// The protocol that a table's clients speak.
    public enum Compatibility: String, CaseIterable, Sendable {
        /// System columns with plain names.
        case v2
        /// System columns that begin with `__` and are shown on request.
        case v1
    }

    /// Longest name of a table or column in characters.
    public static let maxNameLength = 64
    /// Most columns of a table.
    public static let maxColumns = 100
    /// Names that the protocol itself uses, in lower case.
    public static let systemColumns: Set<String> = ["id", "createdat", "updatedat", "version", "deleted"]

    /// The name as configured; requests may spell it in any case.
    public let name: String
    /// The columns, in the order of the configuration.
    public private(set) var columns: [TableColumn]
    /// Indices in ``columns`` by the columns' names in lower case.
    private var places: [String: Int]
    /// The kind of the ids.
    public var idKind = IDKind.string
    /// Inserts and updates make the columns that they name and the table lacks (`dynamicSchema`).
    public var isDynamic = false
    /// The protocol that clients speak.
    public var compatibility = Compatibility.v2
    /// Rows of a page at most.
    public var pageSize = 50
    /// Most rows that one list may ask for.
    public var maxTop = 1000
    /// Each person has own rows and sees no others.
    public var isPerUser = true
    /// Deleted rows leave a tombstone for clients that sync.
    public var hasSoftDelete = true
    /// Days that tombstones are kept.
    public var tombstoneDays = 30
    /// The access to verbs; `authenticated` for one that is missing.
    public var access: [Verb: Access] = [:]
    /// The scope that reading requires.
    public var readScope: String?
    /// The scope that every change requires.
    public var writeScope: String?
    /// The hook that is asked before an operation runs.
    public var hook: TableHook?

    /// A table.
    ///
    /// - Throws: ``TableProblem`` if a name is not letters, digits and `_`, is one of the protocol's own, or stands twice.
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

    /// The same table with columns behind its own; those that it has already are left out.
    ///
    /// - Throws: ``TableProblem`` if there would be too many columns, or a name cannot name one.
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

    /// The access to `verb`.
    public func access(_ verb: Verb) -> Access { access[verb] ?? .authenticated }

    /// The scope that `verb` requires.
    public func scope(_ verb: Verb) -> String? {
        switch verb {
        case .read: readScope
        case .insert, .update, .delete: writeScope
        }
    }

    /// The column of that name in any case.
    public func column(_ name: String) -> TableColumn? {
        (places[name] ?? places[name.lowercased()]).map { columns[$0] }
    }

    /// True if a row may make a column of that name, and none has made it yet.
    public func mayGet(_ name: String) -> Bool {
        isDynamic && columns.count < Self.maxColumns && column(name) == nil && name.isTableName
            && !Self.systemColumns.contains(name.lowercased())
    }
}

extension String {
    /// Whether it can name a table or a column: `__` is the protocol's; `ms_` is what the stores of clients on devices keep for
    /// themselves.
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
    /// The table that exists where nothing is configured: the tasks of each person.
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
