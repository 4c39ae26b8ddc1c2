import Spelling

/// The values of an insert or the changes of an update, as sent by a client and checked against the table's rules.
public struct RowDraft: Hashable, Sendable {
    /// The id that the client or a hook chose, or `nil` if neither sent an id.
    public private(set) var id: RowID?
    /// The version that the client's change is based on, or `nil` if the client sent no version.
    public let version: RowVersion?
    /// The values, keyed by declared column name, which contain only the changed columns for an update.
    public private(set) var values: [String: TableValue]
    /// The names of the columns in ``values`` that were sent by the client, not filled with defaults or by the server.
    public let sent: Set<String>
    /// The columns that this row adds to a table with a dynamic schema.
    public let added: [TableColumn]

    /// Creates a draft from the `members` of an insert, or throws ``TableProblem`` for the first violated rule.
    ///
    /// A missing column gets its default value. A column that the server sets gets the value that `fill` returns.
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

    /// Returns a copy with the changes in trusted `members`, such as a hook's.
    ///
    /// The members can also contain the row's id and change read-only columns.
    ///
    /// - Throws: ``TableProblem`` for an unknown column, a system column, or a value that violates a rule.
    public func changed(
        by members: [String: TableValue],
        in table: TableDeclaration
    ) throws(TableProblem) -> RowDraft {
        var draft = self
        for (name, value) in members.sorted(by: { $0.key < $1.key }) {
            if name.lowercased() == "id" {
                draft.id = try Self.id(value, table) ?? draft.id
                continue
            }
            guard let column = table.column(name) else { throw Self.unknown(name, table) }
            draft.values[column.name] = try column.checked(value)
        }
        return draft
    }

    /// Creates a draft from the `members` of an update, which leaves columns without a member unchanged.
    public static func update(
        _ members: [String: TableValue],
        of table: TableDeclaration
    ) throws(TableProblem) -> RowDraft {
        try RowDraft(members, table)
    }

    /// Creates a draft from the `members` of a row that replaces the stored one.
    ///
    /// A missing column gets its default value. A column that only the server sets stays unchanged.
    public static func replacement(
        _ members: [String: TableValue],
        of table: TableDeclaration
    ) throws(TableProblem) -> RowDraft {
        var draft = try RowDraft(members, table)
        for column in table.columns where !column.isSetByServer && draft.values[column.name] == nil {
            draft.values[column.name] = try column.checked(column.defaultValue ?? .null)
        }
        return draft
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
                    guard !column.isSetByServer else {
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
        // `adding` throws an error for an invalid column name, or for too many columns.
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
