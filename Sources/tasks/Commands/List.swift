import ArgumentParser
import OAuth
import TablesClient
import Terminal

/// Lists tasks.
struct List: Command {
    static let configuration = CommandConfiguration(abstract: "List the tasks that are to be done.")

    @Flag(help: "Those that are done, too.") var all = false
    @OptionGroup var options: TasksOptions
    @OptionGroup var shared: SharedOptions

    func run(_ correlation: CorrelationID) async throws {
        let items = try await options.withTasks(correlation) { try await $0.all() }
            .filter { all || !$0.isComplete }
        if shared.json {
            Output.json(.array(items.map(\.row.json)))
        } else if items.isEmpty {
            Program.note("There is nothing to do.")
        } else {
            Output.table(["ID", "STATE", "DUE", "PRIO", "TEXT"], items.map(\.cells))
        }
    }
}
