import ArgumentParser
import FlowModel
import OAuth
import TablesClient
import Terminal

struct Balance: TasksSubcommand {
    static let configuration = CommandConfiguration("balance", "help.tasks.balance")

    static let scope = "accessRestricted"

    @OptionGroup var options: TasksOptions

    func run(_ correlation: CorrelationID) async throws {
        let answer = try await options.withTables(correlation, scopes: [Self.scope]) { tables in
            try await tables.invokeAPI("balance", method: .get).json
        }
        guard let balance = answer?["balance"]?.string else {
            throw CommandFailure(.failed, "malformed_answer", Text("cli.tasks.noBalance"))
        }
        if shared.json { try Output.json(["balance": .string(balance)]) } else { try Output.line(balance) }
    }
}
