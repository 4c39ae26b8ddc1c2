import ArgumentParser
import FlowModel
import OAuth
import OfflineTables
import Tables
import TablesClient
import Terminal

struct Status: TasksSubcommand {
    static let configuration = CommandConfiguration("status", "help.tasks.status")

    @OptionGroup var options: TasksOptions

    func run(_ correlation: CorrelationID) async throws {
        let (rows, conflicts) = try await options.withStore(correlation) { session, _ in
            let errors = try await session.context.errors()
            let marks = try await SyncMarks(session.context)
            var rows: [[String]] = []
            for operation in try await session.context.pendingOperations() {
                let row = try await session.table.read(id: operation.itemID) ?? operation.item
                let id = operation.itemID.text
                rows.append([id, operation.kind.word, marks[id] ?? "", row?["text"]?.string ?? ""])
            }
            return (rows, errors.count)
        }
        if shared.json {
            let pending = rows.map { row -> JSONValue in
                [
                    "id": .string(row[0]), "operation": .string(row[1]), "state": .string(row[2]),
                    "text": .string(row[3]),
                ]
            }
            try Output.json(["pending": .array(pending), "conflicts": .int(Int64(conflicts))])
        } else {
            try Self.show(rows, conflicts)
        }
    }

    private static func show(_ rows: [[String]], _ conflicts: Int) throws(CommandFailure) {
        guard !rows.isEmpty else {
            try Output.line(Text("cli.tasks.nothingWaits"))
            return
        }
        let length = UniquePrefix.length(of: rows.map { $0[0] })
        let cells = rows.map { row in
            [String(row[0].prefix(length)), SyncMarks.shown(row[1]), SyncMarks.shown(row[2]), row[3]]
        }
        try Output.table(
            ["ID"] + [Text("cli.tasks.edit").text, Text("cli.tasks.state").text, Text("cli.tasks.textColumn").text],
            cells
        )
        if conflicts > 0 { try Output.line(Text("cli.tasks.toDecide", ["count": conflicts])) }
    }
}
