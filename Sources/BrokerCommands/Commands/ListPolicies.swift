import ArgumentParser
import BrokerAPI
import BrokerClient
import FlowModel
import OAuth
import Terminal

/// Lists the policies.
struct ListPolicies: Command {
    static let configuration = CommandConfiguration(
        commandName: "policies",
        abstract: "List the policies, and what those that cannot be used yet are lacking."
    )

    @OptionGroup var connection: ConnectionOptions
    @OptionGroup var shared: SharedOptions

    func run(_ correlation: CorrelationID) async throws {
        let answer = try await connection.withBroker(correlation) { try await $0.call(PolicyList()) }
        if shared.json {
            try Output.json(answer.json)
        } else {
            try Output.table(
                ["POLICY", "KIND", "NAME", "ISSUER"],
                answer.values.map {
                    [$0.policy, $0.kind, $0.displayName, $0.available ? $0.issuer : "unavailable: \($0.missing ?? "")"]
                }
            )
        }
    }
}
