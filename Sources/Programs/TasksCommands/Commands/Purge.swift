import ArgumentParser
import OAuth
import OfflineTables
import Tables
import Terminal

/// Removes tasks from this machine alone.
struct Purge: Command {
    static let configuration = CommandConfiguration(
        commandName: "purge",
        abstract: "Remove tasks from this machine, not from the API."
    )

    @Option(help: "Only those that this holds for: complete == YES.") var filter: String?
    @Flag(help: "With the edits that the API does not have; they are lost.") var force = false
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
                    TasksText.unsentEdits.text,
                    hint: TasksText.unsentEditsHint.text
                )
            }
        }
        if shared.json {
            try Output.json(["removed": .int(Int64(count))])
        } else {
            try Output.line(TasksText.removed(count).text)
            if count > 0 { Program.complain("hint: \(TasksText.removedHint.text)") }
        }
    }

    private static func query(_ text: String) throws(CommandFailure) -> Query {
        do throws(QueryProblem) {
            return Query().where(try Filter(predicate: text))
        } catch {
            var failure = CommandFailure.usage("--filter: \(error.message)")
            failure.excerpt = error.position.map { Excerpt(text, at: $0) }
            throw failure
        }
    }
}
