import ArgumentParser
import BrokerAPI
import BrokerClient
import FlowModel
import OAuth
import Terminal

/// Shows how the daemon is.
struct Status: Command {
    static let configuration = CommandConfiguration("status", "help.broker.status")

    @OptionGroup var connection: ConnectionOptions
    @OptionGroup var shared: SharedOptions

    func run(_ correlation: CorrelationID) async throws {
        let answer = try await connection.withBroker(correlation) { try await $0.call(BrokerStatus()) }
        if shared.json {
            try Output.json(answer.json)
        } else {
            try Output.line(
                Text("cli.broker.daemon", ["version": answer.version, "seconds": answer.uptimeMs / 1000]).text
            )
            try Output.line(Text("cli.broker.policies", ["names": answer.policies.joined(separator: ", ")]).text)
            try Output.line(Text(answer.locked ? "cli.broker.cacheLocked" : "cli.broker.cacheOpen").text)
            for (name, count) in answer.counts.sorted(by: { $0.key < $1.key }) { try Output.line("\(name): \(count)") }
        }
    }
}
