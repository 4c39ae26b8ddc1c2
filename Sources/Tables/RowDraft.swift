/// A row as a client sent it, checked against its table: what an insert writes, or what an update changes.
public struct RowDraft: Hashable, Sendable {
    /// The id that the client gave, if it gave one.
    public let id: RowID?
    /// The version that the client started from, if it says so in the row itself.
    public let version: RowVersion?
    /// The values by the columns' declared names; an update has only those that change.
    public let values: [String: TableValue]
    /// Those of ``values`` that the client sent; the others are defaults or the server's.
    public let sent: Set<String>

    /// Reads the row of an insert: what is missing gets its default.
    ///
    /// - Parameters:
    ///   - members: The request's JSON object, one value a member.
    ///   - table: The table it is for.
    ///   - fill: The value of a column that the server fills in.
    /// - Returns: A row that breaks no rule of its table.
    /// - Throws: ``TableProblem`` at the first rule that is broken.
    public static func insert(
        _ members: [String: TableValue],
        into table: TableDefinition,
        fill: (Column.Source) -> TableValue
    ) throws(TableProblem) -> RowDraft {
        let draft = try RowDraft(members, table)
        var values = draft.values
        for column in table.columns {
            if let source = column.source {
                values[column.name] = try column.checked(fill(source))
            } else if values[column.name] == nil {
                values[column.name] = try column.checked(column.defaultValue ?? .null)
            }
        }
        return RowDraft(id: draft.id, version: draft.version, values: values, sent: draft.sent)
    }

    /// Reads the changes of an update: what is missing stays.
    public static func update(
        _ members: [String: TableValue],
        of table: TableDefinition
    ) throws(TableProblem) -> RowDraft {
        try RowDraft(members, table)
    }

    private init(id: RowID?, version: RowVersion?, values: [String: TableValue], sent: Set<String>) {
        self.sent = sent
        self.id = id
        self.version = version
        self.values = values
    }

    private init(_ members: [String: TableValue], _ table: TableDefinition) throws(TableProblem) {
        var id: RowID?
        var version: RowVersion?
        var values: [String: TableValue] = [:]
        var seen: Set<String> = []
        for (name, value) in members.sorted(by: { $0.key < $1.key }) {
            let lowered = name.lowercased()
            guard seen.insert(lowered).inserted else {
                throw TableProblem(message: "'\(name)' stands twice, in different case", column: name)
            }
            switch lowered {
            case "id": id = try Self.id(value)
            case "version": version = value.string.map { RowVersion($0) }
            case "createdat", "updatedat", "deleted":
                throw TableProblem(
                    message: "Cannot update item with property '\(name)' as it is reserved",
                    column: name
                )
            default:
                guard let column = table.column(lowered) else { throw Self.unknown(name, table) }
                guard !column.isReadOnly, column.source == nil else {
                    throw TableProblem(message: "'\(column.name)' cannot be written", column: column.name)
                }
                values[column.name] = try column.checked(value)
            }
        }
        self.init(id: id, version: version, values: values, sent: Set(values.keys))
    }

    private static func id(_ value: TableValue) throws(TableProblem) -> RowID? {
        switch value {
        case .null, .string(""): return nil
        case .string(let text):
            guard let id = RowID(text) else {
                throw TableProblem(message: "the id is too long or has a character that no id may have", column: "id")
            }
            return id
        default: throw TableProblem(message: "the id must be a string", column: "id")
        }
    }

    private static func unknown(_ name: String, _ table: TableDefinition) -> TableProblem {
        let nearest = NearestName(among: table.columns.map(\.name)).to(name)
        let hint = nearest.map { " (did you mean '\($0)'?)" } ?? ""
        return TableProblem(message: "table '\(table.name)' has no column '\(name)'\(hint)", column: name)
    }
}
