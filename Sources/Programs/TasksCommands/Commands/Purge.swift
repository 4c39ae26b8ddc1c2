import ArgumentParser
import FlowModel
import OAuth
import OfflineTables
import Tables
import Terminal

/// Removes tasks from this machine alone.
struct Purge: Command {
    static let configuration = CommandConfiguration("purge", "help.tasks.purge")

    @Option(help: .text("help.tasks.purge.filter")) var filter: String?
    @Flag(help: .text("help.tasks.purge.force")) var force = false
    @OptionGroup var options: TasksOptions
    @OptionGroup var shared: SharedOptions

    func run(_ correlation: CorrelationID) async throws {
        let query = try filter.map { text throws(CommandFailure) in try Self.query(text) }
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

    private static func query(_ text: String) throws(CommandFailure) -> Query {
        do throws(QueryProblem) {
            return Query().where(try Filter(predicate: text))
        } catch {
            var failure = CommandFailure.usage(
                Text("failure.ofOption", ["option": "--filter", "text": error.reason.said.text])
            )
            failure.excerpt = error.position.map { Excerpt(text, at: $0) }
            throw failure
        }
    }
}
