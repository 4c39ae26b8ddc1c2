import ArgumentParser
import BrokerAPI
import BrokerClient
import FlowModel
import OAuth
import Terminal

/// Shows how the daemon is.
struct Status: Command {
    static let configuration = CommandConfiguration(
        commandName: "status",
        abstract: "Show the daemon's version, age and counts."
    )

    @OptionGroup var connection: ConnectionOptions
    @OptionGroup var shared: SharedOptions

    func run(_ correlation: CorrelationID) async throws {
        let answer = try await connection.withBroker(correlation) { try await $0.call(BrokerStatus()) }
        if shared.json {
            try Output.json(answer.json)
        } else {
            try Output.line(BrokerText.daemon(version: answer.version, seconds: answer.uptimeMs / 1000).text)
            try Output.line(BrokerText.policies(answer.policies.joined(separator: ", ")).text)
            try Output.line((answer.locked ? BrokerText.cacheLocked : .cacheOpen).text)
            for (name, count) in answer.counts.sorted(by: { $0.key < $1.key }) { try Output.line("\(name): \(count)") }
        }
    }
}
