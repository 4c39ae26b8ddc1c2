import FlowModel
import OAuth
import OfflineTables
import Tables
import TablesClient
import Terminal

/// The two versions of a task whose edit is rejected or in conflict.
///
/// One version is the user's. The other is the server's or, if the edit was rejected, the task before the edit.
struct ConflictSides: Sendable {
    private enum Side {
        case row(RemoteRow)
        case deleted
        /// The server's side of a conflict, if the server's row could not be fetched.
        case unknown

        subscript(_ column: String) -> TableValue? {
            switch self {
            case .row(let row): row[column]
            case .deleted, .unknown: nil
            }
        }

        var columns: Set<String> {
            switch self {
            case .row(let row): Set(row.values.keys)
            case .deleted, .unknown: []
            }
        }

        /// The word to show instead of the task's values, or an empty string if this side has values.
        var mark: String {
            switch self {
            case .row: ""
            case .deleted: Text("cli.tasks.deletedSide").text
            case .unknown: Text("cli.tasks.unknownSide").text
            }
        }
    }

    private let operation: TableOperation.Kind
    private let mine: Side
    private let theirs: Side
    /// The columns that the edit sets.
    ///
    /// All other columns keep the API's values, however the conflict is resolved.
    private let edit: Set<String>

    init(_ error: TableOperationError) {
        operation = error.operation
        edit = Set(error.edit.keys)
        mine = Self.mine(error.item, error.operation)
        if error.isConflict {
            theirs = error.serverItem.map(Self.theirs) ?? (error.statusCode == 404 ? .deleted : .unknown)
        } else {
            theirs = .row(RemoteRow(id: error.itemID, values: error.base ?? [:]))
        }
    }

    init(_ conflict: SyncConflict) {
        operation = conflict.operation.kind
        edit = Set(conflict.edit.keys)
        mine = Self.mine(conflict.mine, conflict.operation.kind)
        theirs = conflict.theirs.map(Self.theirs) ?? .deleted
    }

    init(_ edit: SavedEdit, over row: RemoteRow) {
        operation = edit.kind
        self.edit = Set(edit.changed ?? edit.item.map { Array($0.values.keys) } ?? [])
        mine = Self.mine(edit.item, edit.kind)
        theirs = Self.theirs(row)
    }

    private static func mine(_ row: RemoteRow?, _ operation: TableOperation.Kind) -> Side {
        switch operation {
        case .delete: .deleted
        case .insert, .update: row.map(Side.row) ?? .deleted
        }
    }

    private static func theirs(_ row: RemoteRow) -> Side { row.isDeleted ? .deleted : .row(row) }

    var reason: String {
        let reason: Text =
            switch (operation, theirs) {
            case (.insert, .row), (.insert, .unknown): Text("cli.tasks.idTaken")
            case (.insert, .deleted): Text("cli.tasks.idTakenByDeleted")
            case (.update, .row): Text("cli.tasks.bothChanged")
            case (.update, .deleted): Text("cli.tasks.changedHereDeletedThere")
            case (.update, .unknown): Text("cli.tasks.changedHereUnknownThere")
            case (.delete, .row): Text("cli.tasks.deletedHereChangedThere")
            case (.delete, .deleted): Text("cli.tasks.bothDeleted")
            case (.delete, .unknown): Text("cli.tasks.deletedHereUnknownThere")
            }
        return reason.text
    }

    /// The columns whose values depend on how the conflict is resolved.
    private var columns: Set<String> {
        switch (mine, theirs) {
        case (.row, .row), (.row, .unknown): edit
        case (.row, .deleted), (.deleted, _), (.unknown, _): mine.columns.union(theirs.columns)
        }
    }

    var rows: [[String]] {
        let rows = columns.sorted().filter { mine[$0] ?? .null != theirs[$0] ?? .null }.map { name in
            ["", name, Self.text(mine[name]), Self.text(theirs[name])]
        }
        let marks = ["", "", mine.mark, theirs.mark]
        return marks.allSatisfy(\.isEmpty) ? rows : [marks] + rows
    }

    private static func text(_ value: TableValue?) -> String {
        switch value?.json {
        case nil, .null?: ""
        case .string(let text)?: PlainText.excerpt(text)
        case let value?: value.text
        }
    }
}
