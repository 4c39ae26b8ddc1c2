import FlowModel
import OAuth
import OfflineTables
import Tables
import TablesClient
import Terminal

/// The two sides of a conflict or rejected edit, column by column.
///
/// One side is the user's edit. For a rejected edit, the other side is the task as the API last returned it.
struct ConflictSides: Sendable {
    private enum Side {
        case row(RemoteRow)
        case deleted
        /// The API's side is unknown, because its row could not be fetched after a conflict.
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

        /// The word to show for a side without columns.
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
    /// The columns of the user's edit.
    ///
    /// The API's other columns keep their values, however the conflict is resolved.
    private let edit: Set<String>

    /// Creates the sides of a recorded conflict or rejected edit.
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

    /// Creates the sides of a conflict during a push.
    init(_ conflict: SyncConflict) {
        operation = conflict.operation.kind
        edit = Set(conflict.edit.keys)
        mine = Self.mine(conflict.mine, conflict.operation.kind)
        theirs = conflict.theirs.map(Self.theirs) ?? .deleted
    }

    /// Creates the sides of a saved edit whose task has since been changed by another device.
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

    /// A clause that describes the conflict.
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

    /// The columns that differ.
    ///
    /// Each row consists of an indent, the column, and each side's value.
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
