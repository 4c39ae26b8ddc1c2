import ArgumentParser
import BrokerAPI
import BrokerClient
import FlowModel
import OAuth
import Terminal

struct Scopes: DaemonCommand {
    static let configuration = CommandConfiguration("scopes", "help.broker.scopes")

    @OptionGroup var connection: ConnectionOptions

    func run(_ correlation: CorrelationID) async throws {
        let policies = try await connection.withBroker(correlation) { try await $0.policies() }
        var granting: [String: [String]] = [:]
        for policy in policies where policy.available {
            for scope in policy.scopes { granting[scope, default: []].append(policy.policy) }
        }
        let scopes = granting.sorted { $0.key < $1.key }
        if shared.json {
            let members: [JSONValue] = scopes.map { scope, policies in
                ["scope": .string(scope), "policies": .array(policies.map(JSONValue.string))]
            }
            try Output.json(["scopes": .array(members)])
        } else {
            try Output.table(
                [Text("cli.broker.scopeHeading").text, Text("cli.broker.policiesHeading").text],
                scopes.map { [$0.key, $0.value.joined(separator: " ")] },
                empty: Text("cli.broker.noScopes")
            )
        }
    }
}
