import ArgumentParser
import FlowModel
import OAuth
import OfflineTables
import Tables
import Terminal

/// Removes tasks from this machine only.
struct Purge: TasksSubcommand {
    static let configuration = CommandConfiguration("purge", "help.tasks.purge")

    @Option(help: .text("help.tasks.purge.filter")) var filter: String?
    @Flag(help: .text("help.tasks.purge.force")) var force = false
    @OptionGroup var options: TasksOptions

    func run(_ correlation: CorrelationID) async throws {
        let query = try filter.map { filter throws(CommandFailure) in Query().where(try ListOptions.filter(filter)) }
        let count = try await options.withStore(correlation) { session, _ in
            do {
                return try await force ? session.table.forcePurge(query) : session.table.purge(query ?? Query())
            } catch let error as SyncError where error.code == .purgeAborted {
                throw CommandFailure(
                    .failed,
                    "pending",
                    Text("cli.tasks.unsentEdits"),
                    hint: Text("cli.tasks.unsentEditsHint")
                )
            }
        }
        if shared.json {
            try Output.json(["removed": .int(Int64(count))])
        } else {
            try Output.line(Text("cli.tasks.removed", ["count": count]))
            if count > 0 { Program.complain("hint: \(Text("cli.tasks.removedHint").text)") }
        }
    }
}
