import Foundation
import OAuth
import TestSupport

/// A running custom identity provider from `Examples/`, with the check in `checks.yaml` that calls the provider.
struct CustomProvider {
    /// The right answer to the provider's first prompt.
    static let right: JSONValue = ["username": "john.lennon", "password": "12345"]

    let check: String
    let port = freePort()
    let program: RunningProgram
    private let more: String

    /// Starts the provider with these flags, for a check with this name and these additional keys.
    init(_ check: String, _ flags: [String], keys more: String = "passHeaders: [accept-language]") throws {
        self.check = check
        self.more = more
        program = try BuiltProgram(path: "/usr/bin/python3").start(
            [ProjectFolder.path + "/Examples/custom_identity_provider.py", "--port", "\(port)"] + flags
        )
        try blockUntil("the provider of \(check) listens") { [program] in program.output().contains("listening") }
    }

    /// The line that defines the check in `checks.yaml`.
    var line: String {
        "  \(check): {type: customIdentityProvider, realm: \(check)Realm, url: \"http://127.0.0.1:\(port)\", "
            + "tenant: app-guid, \(more)}"
    }

    /// The name of the policy that signs users in with the provider.
    var policy: String { "b2c_1_\(check.lowercased())" }

    func end() {
        program.signal(SIGKILL)
        program.wait()
    }
}

extension Machine {
    /// Returns a machine whose policies have an additional scope for each provider.
    ///
    /// The scope requires the provider's check, and has the check's name in lower case. For each provider, the machine
    /// also has a policy that signs users in with that provider.
    static func of(_ providers: [CustomProvider]) throws -> Machine {
        let scopes = providers.map { $0.check.lowercased() }
        let machine = try Machine(configuration: [
            "apis:",
            "  tasks: {audience: tasks, scopes: {tasks.read: Read, tasks.write: Change, "
                + scopes.map { "\($0): See" }.joined(separator: ", ") + "}}",
        ])
        let checks = try String(contentsOfFile: machine.policies + "/checks.yaml", encoding: .utf8)
        let lines = providers.map(\.line).joined(separator: "\n")
        try machine.write([checks.replacing("order:", with: lines + "\norder:")], to: "etc/policies/checks.yaml")
        for name in try FileManager.default.contentsOfDirectory(atPath: machine.policies) where name.hasPrefix("b2c") {
            let policy = try String(contentsOfFile: "\(machine.policies)/\(name)", encoding: .utf8)
            let granted = zip(scopes, providers).map { "\($0): [\($1.check)], " }.joined()
            let changed = policy.replacing(
                /scopes: \{accessRestricted.*tasks\.read/,
                with: "scopes: {\(granted)tasks.read"
            )
            .replacing("claims: [oid,", with: "claims: [oid, imf.user,")
            try machine.write([changed], to: "etc/policies/\(name)")
        }
        for provider in providers {
            try machine.write(
                [
                    "kind: sign-up-or-sign-in", "signInChecks: [\(provider.check)]",
                    "claims: [oid, displayName, identityProvider, imf.user]", "scopes: {tasks.read: []}",
                ],
                to: "etc/policies/\(provider.policy).yaml"
            )
        }
        return machine
    }
}
