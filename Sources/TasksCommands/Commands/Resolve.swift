import ArgumentParser
import OAuth
import OfflineTables
import Tables
import Terminal

/// Decides a conflict or a refusal.
struct Resolve: Command {
    static let configuration = CommandConfiguration(
        commandName: "resolve",
        abstract: "Decide an edit that was refused or is in conflict."
    )

    @Argument(help: "Which one; `conflicts` shows them.") var id: String
    @Flag(help: "Your edit goes over the other one.") var mine = false
    @Flag(help: "Your edit is given up.") var theirs = false
    @Flag(help: "The task is deleted on both sides.") var delete = false
    @OptionGroup var network: NetworkOptions
    @OptionGroup var options: TasksOptions
    @OptionGroup var shared: SharedOptions

    func validate() throws {
        guard [mine, theirs, delete].filter({ $0 }).count == 1 else {
            throw ValidationError(TasksText.sayOne.text)
        }
    }

    private var resolution: ConflictResolution { mine ? .mine : theirs ? .theirs : .delete }

    func run(_ correlation: CorrelationID) async throws {
        let error = try await options.withTasks(correlation, network) { tasks in
            let errors = try await tasks.context.errors()
            let error = try UniquePrefix.find(id, among: errors, .conflict) { [$0.itemID.text] }
            try await tasks.context.resolve(error, by: resolution)
            return error
        }
        if shared.json {
            try Output.json(["resolved": .string(error.itemID.text)])
        } else {
            try Output.line(TasksText.resolved(String(error.itemID.text.prefix(UniquePrefix.shortest))).text)
        }
    }
}
