import ArgumentParser
import FlowModel
import OAuth
import TablesClient
import Terminal

struct List: TasksSubcommand {
    static let configuration = CommandConfiguration("list", "help.tasks.list")

    @OptionGroup var which: ListOptions
    @OptionGroup var network: NetworkOptions
    @OptionGroup var options: TasksOptions

    func run(_ correlation: CorrelationID) async throws {
        let query = try which.query()
        let columns = try which.shown()
        let found: FoundTasks
        do {
            found = try await options.withTasks(correlation, network) { try await $0.found(query) }
        } catch let failure as CommandFailure {
            throw which.located(failure)
        }
        let list = TaskList(found, columns: columns)
        if shared.json { return try Output.json(list.json) }
        if found.items.isEmpty {
            Program.note(Text(found.count == nil ? "cli.tasks.nothingToDo" : "cli.tasks.nothingToShow").text)
        } else {
            let table = list.table
            try Output.table(table.headings, table.rows)
        }
        if let count = found.count { try Output.line(Text("cli.tasks.inAll", ["count": count])) }
    }
}
