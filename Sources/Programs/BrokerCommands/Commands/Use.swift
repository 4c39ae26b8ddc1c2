import ArgumentParser
import BrokerAPI
import BrokerClient
import FlowModel
import OAuth
import Terminal

struct Use: DaemonCommand {
    static let configuration = CommandConfiguration("use", "help.broker.use")

    @Argument(help: .text("help.broker.use.account")) var account: String
    @OptionGroup var connection: ConnectionOptions

    func run(_ correlation: CorrelationID) async throws {
        let chosen = try await connection.withBroker(correlation) { broker in
            try await broker.use(try await broker.account(named: account, program: "tokenbroker").account)
        }
        try Output.answer(chosen.json, Text("cli.broker.using", ["name": chosen.username]), asJSON: shared.json)
    }
}
