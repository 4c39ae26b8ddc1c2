import ArgumentParser
import BrokerAPI
import BrokerClient
import FlowModel
import OAuth
import Terminal

/// Lists the policies.
struct ListPolicies: CallCommand {
    static let configuration = CommandConfiguration("policies", "help.broker.listPolicies")

    @OptionGroup var connection: ConnectionOptions

    var call: PolicyList { PolicyList() }

    func show(_ answer: [PolicySummary]) throws {
        try Output.table(
            [
                Text("cli.broker.policyHeading").text, Text("cli.broker.kindHeading").text,
                Text("cli.broker.nameHeading").text, Text("cli.broker.issuerHeading").text,
            ],
            answer.map { policy in
                let missing = Text("cli.broker.unavailable", ["missing": policy.missing ?? Text(exactly: "")]).text
                return [policy.policy, policy.kind, policy.displayName, policy.available ? policy.issuer : missing]
            }
        )
    }
}
