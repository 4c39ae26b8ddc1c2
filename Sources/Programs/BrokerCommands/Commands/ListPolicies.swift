import ArgumentParser
import BrokerAPI
import BrokerClient
import FlowModel
import OAuth
import Terminal

/// Lists the policies.
struct ListPolicies: Command {
    static let configuration = CommandConfiguration("policies", "help.broker.listPolicies")

    @OptionGroup var connection: ConnectionOptions
    @OptionGroup var shared: SharedOptions

    func run(_ correlation: CorrelationID) async throws {
        let answer = try await connection.withBroker(correlation) { try await $0.call(PolicyList()) }
        if shared.json {
            try Output.json(PolicyList.result(answer))
        } else {
            try Output.table(
                [
                    Text("cli.broker.policyHeading").text, Text("cli.broker.kindHeading").text,
                    Text("cli.broker.nameHeading").text, Text("cli.broker.issuerHeading").text,
                ],
                answer.map { policy in
                    let issuer =
                        policy.available
                        ? policy.issuer : Text("cli.broker.unavailable", ["missing": policy.missing ?? ""]).text
                    return [policy.policy, policy.kind, policy.displayName, issuer]
                }
            )
        }
    }
}
