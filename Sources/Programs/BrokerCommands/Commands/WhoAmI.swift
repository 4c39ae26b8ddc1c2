import ArgumentParser
import BrokerAPI
import BrokerClient
import FlowModel
import OAuth
import Terminal

/// Shows who is signed in.
struct WhoAmI: Command {
    static let configuration = CommandConfiguration("whoami", "help.broker.whoAmI")

    @Option(
        help: .text("help.broker.signOut.account")
    ) var account: String?
    @OptionGroup var connection: ConnectionOptions
    @OptionGroup var shared: SharedOptions

    func run(_ correlation: CorrelationID) async throws {
        let found = try await connection.withBroker(correlation) {
            try await $0.account(named: account, program: "tokenbroker")
        }
        if shared.json {
            try Output.json(found.json)
        } else {
            try Output.line("\(found.displayName) <\(found.username)>")
            try Output.line(
                Text("cli.broker.account", ["id": found.account, "policies": found.policies.joined(separator: ", ")])
            )
        }
    }
}
