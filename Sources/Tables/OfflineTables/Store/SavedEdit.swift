public import OAuth
public import Tables
public import TablesClient

/// A pending edit that was recovered from a damaged store and saved in a JSON file.
///
/// The JSON form is `{"table", "operation", "id", "item", "base", "changed"}`, in which an unknown `item` is null, and
/// an unknown `base` or `changed` is omitted.
public struct SavedEdit: Hashable, Sendable {
    /// The table's declared name.
    public let table: String
    /// The kind of change.
    public let kind: TableOperation.Kind
    /// The row's id.
    public let id: RowID
    /// The row after the edit, or the deleted row, or `nil` if only the id of a deleted row was readable.
    public let item: RemoteRow?
    /// The values before the edit, or `nil` if they are unknown or the edit is an insert.
    public let base: [String: TableValue]?
    /// The columns that an update changed, or `nil` if the columns are unknown.
    public let changed: [String]?

    init(_ operation: TableOperation, _ row: RemoteRow?) {
        table = operation.table
        kind = operation.kind
        id = operation.itemID
        let item = row ?? operation.item
        self.item = item
        base = operation.base
        changed = item.flatMap { item in
            operation.base.map { OwnEdit(item.values, over: $0).columns.keys.sorted() }
        }
    }

    init(table: String, id: RowID, row: RemoteRow?) {
        self.table = table
        self.id = id
        item = row
        kind = row.map { $0.version == nil ? .insert : .update } ?? .delete
        base = nil
        changed = nil
    }

    /// Parses the JSON form of an edit, or returns `nil` if the JSON is not valid.
    public init?(json: JSONValue) {
        guard let table = json["table"]?.string, let id = json["id"]?.string.flatMap({ RowID($0) }),
            let kind = TableOperation.Kind.allCases.first(where: { $0.word == json["operation"]?.string })
        else { return nil }
        self.table = table
        self.kind = kind
        self.id = id
        item = json["item"].flatMap { try? RemoteRow(json: $0) }
        base = json["base"]?.object?.compactMapValues { TableValue(json: $0) }
        changed = json["changed"]?.array?.compactMap(\.string)
        guard item != nil || !kind.leavesRow else { return nil }
    }

    /// The edit as JSON.
    public var json: JSONValue {
        var members: [String: JSONValue] = [
            "table": .string(table), "operation": .string(kind.word), "id": .string(id.text),
            "item": item?.json ?? .null,
        ]
        members["base"] = base.map { .object($0.mapValues(\.json)) }
        members["changed"] = changed.map { .array($0.map { .string($0) }) }
        return .object(members)
    }
}

extension SyncTable {
    /// Returns the values that a saved edit would set in `row`, keyed by column name.
    ///
    /// The result is empty if the edit is a deletion. The result is `nil` if the edit would overwrite a change from
    /// another device. If the values that an update replaced are unknown, the update can be applied only to the same
    /// version of the row. A deletion cannot be applied if the deleted values are unknown.
    public func changes(of edit: SavedEdit, over row: RemoteRow) -> [String: TableValue]? {
        let values = declaration.known(row.values)
        let item = edit.item.map { declaration.known($0.values) }
        let base: [String: TableValue]
        switch edit.kind {
        case .delete:
            guard let deleted = edit.base.map(declaration.known) ?? item else { return nil }
            return values.isSame(as: deleted) ? [:] : nil
        case .insert: base = [:]
        case .update:
            guard let known = edit.base.map(declaration.known) else {
                return edit.item?.version == row.version ? item : nil
            }
            base = known
        }
        let own = OwnEdit(item ?? [:], over: base)
        return own.fits(values, base: base) ? own.columns : nil
    }
}
