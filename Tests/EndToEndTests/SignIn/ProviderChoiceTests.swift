import Foundation
import LocalIssuer
import OAuth
import TestSupport
import Testing

/// Tests how users choose an identity provider over the socket or at a terminal and open the link to the provider.
@Suite(.timeLimit(.minutes(5)))
struct ProviderChoiceTests {
    private let scene = ProviderScene(
        common: [
            "claims: [oid, displayName, email, identityProvider]", "scopes: {tasks.read: [], tasks.write: []}",
        ]
    )

    /// Starts a sign-in at a terminal with these typed answers, and returns the process and the link that it prints.
    private func started(
        _ program: String,
        _ machine: Machine,
        _ arguments: [String],
        answers: [String],
        locale: String = "C.UTF-8"
    ) async throws -> (RunningProgram, String) {
        let command = [ProjectFolder.path + "/scripts/at-terminal"] + answers + ["--", BuiltProgram(program).url.path]
        let process = try BuiltProgram(path: "/usr/bin/python3").start(
            command + ["sign-in"] + arguments,
            environment: machine.environment.merging(["LC_ALL": locale]) { $1 }
        )
        var link: String?
        try await waitUntil("\(program) printed its link") {
            link = process.output().firstMatch(of: /(http:\/\/localhost:\d+\/local\/flow\/\S+)\s/).map { String($0.1) }
            return link != nil
        }
        return (process, try #require(link))
    }

    /// Opens a link in a new browser, visits the provider, and returns the page that the daemon then shows.
    private func visit(_ link: String) async throws -> WebBrowser.Page {
        var browser = WebBrowser()
        return try await scene.visit(try destination(of: try await browser.open(link)), &browser)
    }

    @Test(
        "beside a password the terminal offers the provider, and shows the link to it",
        arguments: ["tokenbroker", "tasks"]
    )
    func besidePassword(_ program: String) async throws {
        try await scene.withProvider { provider, machine in
            provider.person("ann", ["name": "Ann"])
            // The policy `b2c_1_both` creates no accounts, so the user first signs in with the policy `b2c_1_partner`.
            var first = WebBrowser()
            let there = try destination(of: try await first.open(scene.request(machine)))
            _ = try await scene.claims(try await scene.visit(there, &first), machine)
            let (process, link) = try await started(
                program,
                machine,
                ["--policy", "b2c_1_both"] + (program == "tasks" ? machine.tasksArguments : []),
                answers: ["E-mail=:choose partner"]
            )
            #expect(process.output().contains("Continue with Partner: type :choose partner."), "\(process.output())")
            #expect(try await visit(link).status == 200)
            #expect(process.wait() == 0, "\(process.output())")
            #expect(process.output().contains("type these words: "), "\(process.output())")
            #expect(process.output().contains("Ann"), "\(process.output())")
            let silent = ["token", "--no-prompt", "--policy", "b2c_1_both", "--json"]
            let token = try machine.tokenbroker(silent)
            #expect(token.status == 0 && token.output.contains("\"fed\""), "\(token)")
        }
    }

    @Test("a policy that has one provider and no password shows the link at once, also in German") func only()
        async throws
    {
        try await scene.withProvider { _, machine in
            let (process, link) = try await started(
                "tokenbroker",
                machine,
                ["--policy", "b2c_1_partner"],
                answers: [],
                locale: "de_DE.UTF-8"
            )
            #expect(process.output().contains("Melden Sie sich mit einem Browser an: "), "\(process.output())")
            #expect(try await visit(link).status == 200)
            #expect(process.wait() == 0, "\(process.output())")
        }
    }

    @Test("of several providers the terminal prompts for one, and prompts again after an unknown name") func several()
        async throws
    {
        func several(_ machine: Machine) throws {
            try machine.write(
                ["kind: sign-up-or-sign-in", "identityProviders: [partner, other]"] + scene.common,
                to: "etc/policies/b2c_1_several.yaml"
            )
            let other =
                "  other: {kind: oidc, issuer: \"https://other.example\", clientId: x, "
                + "clientSecretFile: partner.secret}\n"
            let text = try String(contentsOfFile: machine.configuration, encoding: .utf8)
            try text.replacing("identityProviders:\n", with: "identityProviders:\n" + other)
                .write(toFile: machine.configuration, atomically: true, encoding: .utf8)
        }
        try await scene.withProvider(prepared: several) { _, machine in
            let (process, link) = try await started(
                "tokenbroker",
                machine,
                ["--policy", "b2c_1_several"],
                answers: ["Choose one (partner, other)=nobody", "Choose one (partner, other)=Partner"]
            )
            #expect(try await visit(link).status == 200)
            #expect(process.wait() == 0, "\(process.output())")
        }
    }

    @Test("a user who cancels at the provider sees it in the browser, and the command ends when they give up there")
    func cancelled() async throws {
        try await scene.withProvider { provider, machine in
            provider.tell(.cancels)
            let (process, link) = try await started(
                "tokenbroker",
                machine,
                ["--policy", "b2c_1_both"],
                answers: ["E-mail=:choose partner"]
            )
            var browser = WebBrowser()
            let page = try await scene.visit(try destination(of: try await browser.open(link)), &browser)
            #expect(page.status == 200 && page.text.contains("The other service did not sign you in."), "\(page.text)")
            _ = try await browser.submit(page, ["_action": "cancel"])
            #expect(process.wait() == 77, "\(process.output())")
        }
    }

    @Test("a flow's link has the client of the program that began it, even if another connection picks the provider")
    func anotherConnection() async throws {
        try await scene.withProvider { _, machine in
            func connected(_ client: String) throws -> Connection {
                let connection = try machine.connect()
                let named: JSONValue = ["id": .string(client)]
                let hello: JSONValue = ["protocol": [1], "client": named, "steps": ["form", "provider"]]
                _ = try connection.call("broker.hello", hello)
                return connection
            }
            let first = try connected("tasks-cli")
            let started = try first.call("flow.start", ["policy": "b2c_1_both", "requestId": "r1"])
            let flow = try #require(started["flow"])
            let action: JSONValue = [
                "flow": flow["id"] ?? .null, "step": flow["step"]?["id"] ?? .null, "action": "choose",
                "submissionId": "s1", "value": "partner",
            ]
            let chosen = try connected("nobody-knows-it").call("flow.action", action)
            let link = try #require(chosen["flow"]?["browser"]?["url"]?.string, "\(chosen)")
            #expect(try await visit(link).status == 200)
        }
    }

    @Test("at the socket a program that supports the step `provider` is offered providers and the browser's address")
    func socket() async throws {
        try await scene.withProvider { _, machine in
            let start: JSONValue = ["policy": "b2c_1_both", "requestId": "r1"]
            let plain = try machine.connect()
            let without = try #require(try plain.call("flow.start", start)["flow"])
            #expect(without["step"]?["data"]?["providers"] == nil)
            #expect(without["step"]?["actions"]?.array?.contains { $0["name"] == "choose" } == false)

            let connection = try machine.connect()
            let hello: JSONValue = ["protocol": [1], "client": ["id": "tasks-cli"], "steps": ["form", "provider"]]
            _ = try connection.call("broker.hello", hello)
            let flow = try #require(
                try connection.call("flow.start", ["policy": "b2c_1_both", "requestId": "r2"])["flow"]
            )
            #expect(flow["browser"] == nil)
            let offered: JSONValue = [["value": "partner", "label": "Continue with Partner"]]
            #expect(flow["step"]?["data"]?["providers"] == offered, "\(flow)")
            var action: [String: JSONValue] = [
                "flow": flow["id"] ?? .null, "step": flow["step"]?["id"] ?? .null, "action": "choose",
                "submissionId": "s1", "value": "nobody",
            ]
            #expect(try connection.refusal("flow.action", .object(action)).code == 1006)
            action["value"] = "partner"
            let chosen = try #require(try connection.call("flow.action", .object(action))["flow"])
            #expect(chosen["step"]?["type"] == "provider" && chosen["step"]?["data"]?["provider"] == "partner")
            let link = try #require(chosen["browser"]?["url"]?.string, "\(chosen)")
            #expect(chosen["browser"]?["words"]?.array?.count == 2)
            // The browser has the same uid as the client, so the page does not ask for the two words.
            #expect(try await visit(link).status == 200)
            let end = try #require(
                try connection.call("flow.wait", ["flow": flow["id"] ?? .null, "sinceRev": 0])["flow"]
            )
            // The user has no account, and this policy creates no accounts.
            #expect(end["state"] == "challenge" && end["step"]?["type"] == "provider", "\(end)")
        }
    }
}
