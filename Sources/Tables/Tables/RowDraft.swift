import Spelling

/// A row as a client sent it, checked against its table: what an insert writes, or what an update changes.
public struct RowDraft: Hashable, Sendable {
    /// The id that the client gave, if it gave one.
    public let id: RowID?
    /// The version that the client started from, if it says so in the row itself.
    public let version: RowVersion?
    /// The values by the columns' declared names; an update has only those that change.
    public private(set) var values: [String: TableValue]
    /// Those of ``values`` that the client sent; the others are defaults or the server's.
    public let sent: Set<String>
    /// Columns that the row names and that its table, whose schema is dynamic, does not have yet.
    public let added: [TableColumn]

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
        into table: TableDeclaration,
        fill: (TableColumn.Source) -> TableValue
    ) throws(TableProblem) -> RowDraft {
        var draft = try RowDraft(members, table)
        guard draft.id?.number == nil else {
            throw TableProblem(.idNotAllowed, column: "id")
        }
        for column in table.columns {
            if let source = column.source {
                draft.values[column.name] = try column.checked(fill(source))
            } else if draft.values[column.name] == nil {
                draft.values[column.name] = try column.checked(column.defaultValue ?? .null)
            }
        }
        return draft
    }

    /// The same row with what somebody changed whom the server trusts more than the client: columns that clients may not
    /// write can be written here.
    ///
    /// - Throws: ``TableProblem`` for a column that is not there, the protocol's own columns, and values that break a rule.
    public func changed(
        by members: [String: TableValue],
        in table: TableDeclaration
    ) throws(TableProblem) -> RowDraft {
        var draft = self
        for (name, value) in members.sorted(by: { $0.key < $1.key }) {
            guard let column = table.column(name) else { throw Self.unknown(name, table) }
            draft.values[column.name] = try column.checked(value)
        }
        return draft
    }

    /// Reads the changes of an update: what is missing stays.
    public static func update(
        _ members: [String: TableValue],
        of table: TableDeclaration
    ) throws(TableProblem) -> RowDraft {
        try RowDraft(members, table)
    }

    private init(_ members: [String: TableValue], _ table: TableDeclaration) throws(TableProblem) {
        var id: RowID?
        var version: RowVersion?
        var values: [String: TableValue] = [:]
        var added: [TableColumn] = []
        var seen: Set<String> = []
        for (name, value) in members.sorted(by: { $0.key < $1.key }) {
            let lowered = name.lowercased()
            guard seen.insert(lowered).inserted else {
                throw TableProblem(.repeatedColumn(name), column: name)
            }
            switch lowered {
            case "id": id = try Self.id(value, table)
            case "version": version = value.string.map { RowVersion($0) }
            case "__version" where table.compatibility == .v1: version = value.string.map { RowVersion($0) }
            case "createdat", "updatedat", "deleted": throw Self.reserved(name)
            case _ where table.compatibility == .v1 && lowered.hasPrefix("__"): throw Self.reserved(name)
            default:
                if let column = table.column(lowered) {
                    guard !column.isReadOnly, column.source == nil else {
                        throw TableProblem(
                            column.message.map(TableProblem.Reason.stated) ?? .readOnlyColumn(column.name),
                            column: column.name
                        )
                    }
                    values[column.name] = try column.checked(value)
                } else {
                    guard table.isDynamic else { throw Self.unknown(name, table) }
                    guard let type = ColumnType(of: value) else { continue }
                    let column = TableColumn(name, type)
                    added.append(column)
                    values[name] = try column.checked(value)
                }
            }
        }
        // Says which name is out of rule, or that there are too many.
        if !added.isEmpty { _ = try table.adding(added) }
        (self.id, self.version, self.values, self.added) = (id, version, values, added)
        sent = Set(values.keys)
    }

    private static func id(_ value: TableValue, _ table: TableDeclaration) throws(TableProblem) -> RowID? {
        switch (table.idKind, value) {
        case (_, .null), (_, .string("")), (.integer, .number(0)): return nil
        case (.string, .string(let text)):
            guard let id = RowID(text) else {
                throw TableProblem(.invalidID, column: "id")
            }
            return id
        case (.integer, .number(let number)):
            guard let whole = Int64(exactly: number), whole > 0 else {
                throw TableProblem(.idNotPositive, column: "id")
            }
            return RowID(number: whole)
        case (.string, _): throw TableProblem(.idNotText, column: "id")
        case (.integer, _): throw TableProblem(.idNotNumber, column: "id")
        }
    }

    private static func reserved(_ name: String) -> TableProblem {
        TableProblem(.reservedColumn(name), column: name)
    }

    private static func unknown(_ name: String, _ table: TableDeclaration) -> TableProblem {
        let nearest = NearestName.of(name, among: table.columns.map(\.name))
        return TableProblem(.unknownColumn(name, table: table.name, nearest: nearest), column: name)
    }
}
