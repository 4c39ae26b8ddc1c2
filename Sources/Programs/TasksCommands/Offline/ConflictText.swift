import FlowModel
import OAuth
import OfflineTables
import Tables
import TablesClient
import Terminal

/// A rejected or conflicting edit, as text and as JSON.
struct ConflictText: Sendable {
    let error: TableOperationError

    var title: String {
        let reason = error.isConflict ? ConflictSides(error).reason : Text(error.said).text
        return "\(error.itemID.text)  \(SyncMarks.shown(error.operation.word)): \(reason)"
    }

    static var headings: [String] {
        [""] + [Text("cli.tasks.column").text, Text("cli.tasks.mine").text, Text("cli.tasks.server").text]
    }

    var rows: [[String]] { ConflictSides(error).rows }

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

    static func print(_ edit: SavedEdit, over row: RemoteRow) throws(CommandFailure) {
        let sides = ConflictSides(edit, over: row)
        try Output.line("\(edit.id.text)  \(SyncMarks.shown(edit.kind.word)): \(sides.reason)")
        if !sides.rows.isEmpty { try Output.table(headings, sides.rows) }
    }

    static func print(_ errors: [TableOperationError]) throws(CommandFailure) {
        for error in errors {
            let text = ConflictText(error: error)
            try Output.line(text.title)
            if !text.rows.isEmpty { try Output.table(headings, text.rows) }
        }
    }
}
