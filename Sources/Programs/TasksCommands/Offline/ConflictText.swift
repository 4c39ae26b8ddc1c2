import FlowModel
import OAuth
import OfflineTables
import Tables
import TablesClient
import Terminal

/// A refused or conflicting edit, as people and programs read it.
struct ConflictText: Sendable {
    let error: TableOperationError

    /// The id and the kind of the edit, with the reason for which it is not on the server.
    var title: String {
        let reason = error.isConflict ? ConflictSides(error).reason : Text(error.said).text
        return "\(error.itemID.text)  \(SyncMarks.shown(error.operation.word)): \(reason)"
    }

    /// The headings of ``rows``.
    static var headings: [String] {
        [""] + [Text("cli.tasks.column").text, Text("cli.tasks.mine").text, Text("cli.tasks.server").text]
    }

    /// The columns of the user's own edit in which both sides differ.
    var rows: [[String]] { ConflictSides(error).rows }

    /// The edit with both sides.
    var json: JSONValue {
        var members: [String: JSONValue] = [
            "id": .string(error.itemID.text), "operation": .string(error.operation.word),
            "status": .int(Int64(error.statusCode)), "message": .string(error.description),
            "conflict": .bool(error.isConflict),
        ]
        members["mine"] = error.item?.json
        members["edit"] = error.operation.leavesRow ? .object(error.edit.mapValues(\.json)) : nil
        members["theirs"] = error.serverItem?.json
        members["column"] = error.column.map(JSONValue.string)
        return .object(members)
    }

    /// Prints a saved edit beside the task that another device has changed since.
    static func print(_ edit: SavedEdit, over row: RemoteRow) throws(CommandFailure) {
        let sides = ConflictSides(edit, over: row)
        try Output.line("\(edit.id.text)  \(SyncMarks.shown(edit.kind.word)): \(sides.reason)")
        if !sides.rows.isEmpty { try Output.table(headings, sides.rows) }
    }

    /// Prints edits for people, one after the other.
    static func print(_ errors: [TableOperationError]) throws(CommandFailure) {
        for error in errors {
            let text = ConflictText(error: error)
            try Output.line(text.title)
            if !text.rows.isEmpty { try Output.table(headings, text.rows) }
        }
    }
}
