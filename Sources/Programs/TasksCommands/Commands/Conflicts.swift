import ArgumentParser
import FlowModel
import OAuth
import OfflineTables
import Terminal

struct Conflicts: TasksSubcommand {
    static let configuration = CommandConfiguration("conflicts", "help.tasks.conflicts")

    @OptionGroup var options: TasksOptions

    func run(_ correlation: CorrelationID) async throws {
        try await options.withStore(correlation) { session, _ in
            let errors = try await session.context.errors()
            if shared.json {
                try Output.json(.array(errors.map { ConflictText(error: $0).json }))
            } else if errors.isEmpty {
                Program.note(Text("cli.tasks.noConflicts").text)
            } else {
                try ConflictText.print(errors)
            }
            try await session.context.markShown(errors)
        }
    }
}
