import BrokerAPI
import BrokerClient
import FlowModel
import Foundation
import OAuth
import Policies
import Terminal

/// The account that a trial creates if the policy requires an existing account.
struct TrialPerson: Sendable {
    static let policy = "b2c_1_tokenbroker_try"

    private let address = "trial@example.org"
    private let username = "trial"
    private let password: Secret
    private let signInName: SignInName
    /// The checks for which the account gets credentials.
    ///
    /// These are the password check or, if no password check exists, the sign-in checks of the tried policy.
    private let checks: [String]
    private let scopes: [String]

    init(_ policy: Policy, _ catalogue: PolicyCatalogue) {
        var generator = SystemRandomNumberGenerator()
        let letters = Array("abcdefghijkmnpqrstuvwxyz23456789")
        let random = (0..<10).compactMap { _ in letters.randomElement(using: &generator) }
        password = Secret("Try-1-\(String(random))")
        signInName = policy.signInName
        scopes = policy.scopes.keys.sorted()
        let first = catalogue.order.first { catalogue[check: $0]?.credential == .password }
        checks = first.map { [$0] } ?? policy.signInChecks
    }

    func policyFile(in folder: TrialFolder) throws {
        var names = signInName.attributes
        for name in ["email", "displayName"] where !names.contains(name) { names.append(name) }
        let attributes = names.map { name -> JSONValue in
            name == "email"
                ? ["name": "email", "required": true, "verify": false] : ["name": .string(name), "required": true]
        }
        let file: JSONValue = [
            "kind": "sign-up-or-sign-in", "displayName": "Trial", "signInName": .string(signInName.rawValue),
            "attributes": .array(attributes), "signInChecks": .array(checks.map { .string($0) }),
            "claims": ["oid", "displayName"],
            // If the tried policy is a step-up policy, this policy issues the tokens, so it grants the same scopes.
            "scopes": .object(Dictionary(uniqueKeysWithValues: scopes.map { ($0, []) })),
        ]
        let place = URL(fileURLWithPath: "\(folder.policies)/\(Self.policy).yaml")
        try Data(file.text.utf8).write(to: place)
    }

    var introduction: String {
        let name = signInName.attributes.contains("email") ? address : username
        return Text("cli.trial.person", ["name": name, "password": password.reveal()]).text
    }

    func answers(_ outbox: TrialOutbox) -> ChallengeResponder {
        ChallengeResponder { [self] challenge in
            if challenge.refusal == nil, challenge.offers("create") { return .action("create") }
            guard challenge.refusal == nil else { return .cancel(reason: nil) }
            var answers: [String: JSONValue] = [:]
            for node in challenge.step.nodes where node.required {
                answers[node.name] = .string(try await answer(to: node, outbox))
            }
            return .fields(answers)
        }
    }

    private func answer(to node: Node, _ outbox: TrialOutbox) async throws -> String {
        switch node.name {
        case "email": return address
        case "username": return username
        case "displayName": return "Trial"
        case "password": return password.reveal()
        case "code":
            guard let code = await outbox.news(isWaiting: true).last?.code else { break }
            return code
        default: break
        }
        throw CommandFailure(.failed, "no_person", Text("cli.trial.noPerson", ["field": PlainText.line(node.label)]))
    }
}
