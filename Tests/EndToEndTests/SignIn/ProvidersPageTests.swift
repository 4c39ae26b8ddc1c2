import Foundation
import OAuth
import TestSupport
import Testing

/// Tests the steps that `docs/providers.md` describes.
@Suite(.timeLimit(.minutes(2)))
struct ProvidersPageTests {
    /// Returns the YAML blocks of `docs/providers.md` without their common indentation.
    private func blocks() throws -> [String] {
        let page = try String(contentsOfFile: ProjectFolder.path + "/docs/providers.md", encoding: .utf8)
        return page.matches(of: /(?s)\n( *)```yaml\n(.*?)\n *```/).map { match in
            match.2.split(separator: "\n").map { $0.dropFirst(match.1.count) }.joined(separator: "\n")
        }
    }

    /// Returns the only YAML block that contains this text.
    private func block(_ text: String) throws -> String {
        let found = try blocks().filter { $0.contains(text) }
        try #require(found.count == 1, "\(text): \(found)")
        return found[0]
    }

    /// Returns a machine with these configuration lines and the secret files, and expects that `--check` succeeds.
    private func checked(_ lines: [String], policies: [String: String] = [:]) throws -> Machine {
        let machine = try Machine(configuration: lines)
        for name in ["partner", "facebook", "aad", "api"] {
            try machine.writeSecret("p1aRtner-secret-of-many-different-signs", to: "etc/\(name).secret")
        }
        for (name, text) in policies { try machine.write([text], to: "etc/policies/\(name)") }
        let outcome = try machine.runBroker(["--check"])
        #expect(outcome.status == 0, "\(outcome.output)\(outcome.errors)")
        return machine
    }

    @Test("the quick-start provider passes the check, and both policies that name it are available") func shortest()
        throws
    {
        let machine = try checked(
            [try block("partner: {kind: oidc")],
            policies: ["b2c_1_partner.yaml": try block("kind: social")]
        )
        let both = try block("identityProviders: [local, partner]")
        let line = try #require(both.split(separator: "\n").last)
        let policy = machine.policies + "/b2c_1_sign_up_or_in.yaml"
        let shipped = try String(contentsOfFile: policy, encoding: .utf8)
        try machine.write([shipped, String(line)], to: "etc/policies/b2c_1_sign_up_or_in.yaml")
        let daemon = try machine.startBroker()
        for name in ["b2c_1_partner", "b2c_1_sign_up_or_in"] {
            let policy = try machine.connect().call("policy.get", ["policy": .string(name)])
            #expect(policy["available"]?.bool == true, "\(policy)")
        }
        daemon.signal(SIGTERM)
        #expect(daemon.wait() == 0)
    }

    @Test("the presets of the page pass the check, and make the shipped policy available") func presets() throws {
        let machine = try checked([try block("preset: facebook")])
        let daemon = try machine.startBroker()
        let shipped = try machine.connect().call("policy.get", ["policy": "b2c_1_facebook_sign_in"])
        #expect(shipped["available"]?.bool == true, "\(shipped)")
        daemon.signal(SIGTERM)
        #expect(daemon.wait() == 0)
    }

    @Test("the sign-in at the API's own addresses passes the check of both programs") func door() throws {
        let machine = try checked([try block("firstParty: true")])
        let file = machine.folder.path("etc/tasksd.yaml")
        let tasksd = try String(contentsOfFile: file, encoding: .utf8)
        try machine.write([tasksd, try block("signIn:")], to: "etc/tasksd.yaml")
        let outcome = try BuiltProgram("tasksd").run(["--config", file, "--check"], environment: machine.environment)
        #expect(outcome.status == 0, "\(outcome.output)\(outcome.errors)")
    }

    @Test("every YAML block of the page is one of those checked here") func every() throws {
        #expect(try blocks().count == 6)
    }
}
