import ArgumentParser
import BrokerAPI
import BrokerClient
import FlowModel
import OAuth
import Terminal

struct ListPolicies: CallCommand {
    static let configuration = CommandConfiguration("policies", "help.broker.listPolicies")

    @Flag(help: .text("help.broker.listPolicies.wide")) var wide = false
    @OptionGroup var connection: ConnectionOptions

    var call: PolicyList { PolicyList() }

    func show(_ answer: [PolicySummary]) throws {
        try Output.table(
            [
                Text("cli.broker.policyHeading").text, Text("cli.broker.kindHeading").text,
                Text("cli.broker.nameHeading").text,
            ] + (wide ? [Text("cli.broker.issuerHeading").text] : []),
            answer.map { [$0.policy, $0.kind, $0.displayName] + (wide ? [$0.issuer ?? ""] : []) }
        )
        for policy in answer where !policy.available {
            let missing = policy.missing ?? Text(exactly: "")
            let text = Text("cli.broker.unavailable", ["policy": policy.policy, "missing": missing]).text
            Program.complain(PlainText.line(text))
        }
    }
}
