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
                [BrokerText.policyHeading, .kindHeading, .nameHeading, .issuerHeading].map(\.text),
                answer.map { policy in
                    let issuer = policy.available ? policy.issuer : BrokerText.unavailable(policy.missing ?? "").text
                    return [policy.policy, policy.kind, policy.displayName, issuer]
                }
            )
        }
    }
}
