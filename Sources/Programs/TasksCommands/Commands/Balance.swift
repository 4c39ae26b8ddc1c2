import ArgumentParser
import OAuth
import TablesClient
import Terminal

/// Shows the balance, which asks for more than the tasks do.
struct Balance: Command {
    static let configuration = CommandConfiguration(
        commandName: "balance",
        abstract: "Show your balance; you may have to prove more for it."
    )

    /// The additional scope that a token must grant.
    static let scope = "accessRestricted"

    @OptionGroup var options: TasksOptions
    @OptionGroup var shared: SharedOptions

    func run(_ correlation: CorrelationID) async throws {
        let answer = try await options.withTables(correlation, scopes: [Self.scope]) { tables in
            try await tables.invokeAPI("balance", method: .get).json
        }
        guard let balance = answer?["balance"]?.string else {
            throw CommandFailure(.failed, "malformed_answer", TasksText.noBalance.text)
        }
        if shared.json { try Output.json(["balance": .string(balance)]) } else { try Output.line(balance) }
    }
}
