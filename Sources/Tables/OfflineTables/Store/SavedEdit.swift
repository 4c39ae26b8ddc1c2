public import OAuth
public import Tables
public import TablesClient

/// A pending edit out of a damaged store, as the file beside that store has it.
///
/// As JSON it is `{"table", "operation", "id", "item", "base", "changed"}`: `item` is the row as the edit left it, or as it
/// was deleted; `base` has the values that the edit was made over, and `changed` names the columns of an update, where they
/// are known.
public struct SavedEdit: Hashable, Sendable {
    /// The table's declared name.
    public let table: String
    /// The kind of change.
    public let kind: TableOperation.Kind
    /// The row's id.
    public let id: RowID
    /// The row as the edit left it, or as it was deleted; nil for a deletion of which only the id could be read.
    public let item: RemoteRow?
    /// The values that the edit was made over; nil for an insert, and if they are not known.
    public let base: [String: TableValue]?
    /// The columns that an update changed; nil if they are not known.
    public let changed: [String]?

    /// An operation with its row.
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

    /// A row of which only that it was edited is known: one without a version is new, and one that is gone was deleted.
    init(table: String, id: RowID, row: RemoteRow?) {
        self.table = table
        self.id = id
        item = row
        kind = row.map { $0.version == nil ? .insert : .update } ?? .delete
        base = nil
        changed = nil
    }

    /// Reads what ``json`` wrote; nil if it is none.
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
    /// The columns that a saved edit sets in a row that is stored, with their new values; none for a deletion.
    ///
    /// - Returns: Nil if the edit would overwrite a change of another device. An update whose base is not known fits only over
    ///   the version that it was made from.
    public func changes(of edit: SavedEdit, over row: RemoteRow) -> [String: TableValue]? {
        let values = declaration.known(row.values)
        let item = edit.item.map { declaration.known($0.values) }
        let base: [String: TableValue]
        switch edit.kind {
        case .delete:
            guard let deleted = edit.base.map(declaration.known) ?? item else { return [:] }
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
