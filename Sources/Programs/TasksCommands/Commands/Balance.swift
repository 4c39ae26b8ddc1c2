import ArgumentParser
import FlowModel
import OAuth
import TablesClient
import Terminal

/// Shows the balance.
///
/// This requires a scope in addition to those for tasks.
struct Balance: TasksSubcommand {
    static let configuration = CommandConfiguration("balance", "help.tasks.balance")

    /// The additional scope that a token must have.
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
