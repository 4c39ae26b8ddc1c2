import ArgumentParser
import BrokerAPI
import BrokerClient
import FlowModel
import OAuth
import Terminal

struct WhoAmI: DaemonCommand {
    static let configuration = CommandConfiguration("whoami", "help.broker.whoAmI")

    @Option(help: .text("help.broker.signOut.account")) var account: String?
    @OptionGroup var connection: ConnectionOptions

    func run(_ correlation: CorrelationID) async throws {
        let found = try await connection.withBroker(correlation) {
            try await $0.account(named: account, program: "tokenbroker")
        }
        if shared.json { return try Output.json(found.json) }
        try Output.line(found.label)
        let policies = found.policies.joined(separator: ", ")
        try Output.line(Text("cli.broker.account", ["id": found.account, "policies": policies]))
    }
}
