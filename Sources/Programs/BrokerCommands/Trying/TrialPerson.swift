import BrokerAPI
import BrokerClient
import FlowModel
import Foundation
import OAuth
import Policies
import Terminal

/// The user account that a trial creates for a policy that requires one.
struct TrialPerson: Sendable {
    /// The policy that creates the account.
    static let policy = "b2c_1_tokenbroker_try"

    /// The e-mail address for signing in, which is printed.
    private let address = "trial@example.org"
    private let username = "trial"
    private let password: Secret
    private let signInName: SignInName
    /// The checks for which the sign-up enrols credentials.
    ///
    /// A password check is preferred if the checks include one.
    private let checks: [String]
    /// The scopes that the policy under trial grants.
    private let scopes: [String]

    /// Creates a user with a random password.
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

    /// Writes the policy that creates the account.
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
            // After a step-up, tokens are issued under this policy.
            "scopes": .object(Dictionary(uniqueKeysWithValues: scopes.map { ($0, []) })),
        ]
        let place = URL(fileURLWithPath: "\(folder.policies)/\(Self.policy).yaml")
        try Data(file.text.utf8).write(to: place)
    }

    /// The line that tells the operator the address and the password.
    var introduction: String {
        let name = signInName.attributes.contains("email") ? address : username
        return Text("cli.trial.person", ["name": name, "password": password.reveal()]).text
    }

    /// Answers the prompts of the sign-up.
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
