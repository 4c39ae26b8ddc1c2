import Foundation
import HTTPServer
import LocalIssuer
import NIOHTTP1
import OAuth
import TestSupport
import Testing

/// End-to-end tests of sign-ins with an external provider that start at the socket or in a command-line program.
@Suite(.timeLimit(.minutes(5)))
struct BroughtTokenTests {
    /// Runs `test` with a provider in this process and a daemon that uses the provider.
    ///
    /// The policy `b2c_1_partner` signs in with the provider, and `b2c_1_both` with the provider or a password. The
    /// scope `accessRestricted` also requires a PIN.
    private func withProvider(_ test: (LocalProvider, Machine, Connection) async throws -> Void) async throws {
        let scene = ProviderScene(common: [
            "claims: [oid, displayName, identityProvider]",
            "scopes: {tasks.read: [], tasks.write: [], accessRestricted: [PinCodeAttempts]}",
        ])
        try await scene.withProvider { provider, machine in try await test(provider, machine, try machine.connect()) }
    }

    private func asked(_ token: JSONValue?, _ more: JSONValue = [:]) -> JSONValue {
        var params: [String: JSONValue] = [
            "scopes": ["tasks.read"], "policy": "b2c_1_partner", "provider": "Partner",
        ]
        params["providerToken"] = token
        params.merge(more.object ?? [:]) { $1 }
        return .object(params)
    }

    @Test("a provider's token signs in at the socket: an ID token for this client, or its own access token")
    func brought() async throws {
        try await withProvider { provider, machine, connection in
            let idToken: JSONValue = ["id_token": .string(try provider.idToken())]
            let token = try #require(try connection.call("token.acquire", asked(idToken))["token"])
            #expect(token["claims"]?["idp"]?.string == "partner" && token["amr"] == ["fed"], "\(token)")
            let again = try connection.call("token.acquire", asked(["access_token": "access-1"], ["prompt": "none"]))
            #expect(again["token"]?["account"] == token["account"], "\(again)")
            let silent = try connection.call("token.acquire", ["scopes": ["tasks.read"], "prompt": "none"])
            #expect(silent["token"]?["account"] == token["account"])

            // The token of another user must not be answered from the first user's cache.
            provider.person("person-2", ["name": "Bea"])
            let other: JSONValue = ["authenticationToken": .string(try provider.idToken())]
            let hers = try connection.call("token.acquire", asked(other))["token"]
            #expect(hers?["account"] != nil && hers?["account"] != token["account"])
            let wrong = try connection.refusal("token.acquire", asked(other, ["account": token["account"] ?? .null]))
            #expect(wrong.code == 1020)

            let started = try connection.call(
                "flow.start",
                [
                    "policy": "b2c_1_partner", "provider": "partner", "providerToken": other, "requestId": "r-1",
                ]
            )["flow"]
            #expect(started?["state"]?.string == "succeeded" && started?["account"] == hers?["account"])
        }
    }

    @Test("a provider's token is refused if it is for another client, expired, forged or without an account")
    func refused() async throws {
        try await withProvider { provider, machine, connection in
            func code(_ token: JSONValue, _ more: JSONValue = [:]) throws -> Int64 {
                try connection.refusal("token.acquire", asked(token, more)).code
            }
            for lie in [.wrongAudience, .wrongIssuer, .expired, .unsigned, .unknownKey] as [LocalProvider.Lie] {
                provider.tell(lie)
                #expect(try code(["id_token": .string(try provider.idToken())]) == 1012, "\(lie)")
            }
            provider.tell(nil)
            provider.issued(to: "theirs")
            #expect(try code(["access_token": "access-1"]) == 1012)
            provider.issued(to: provider.clientID)
            let idToken: JSONValue = ["id_token": .string(try provider.idToken())]
            #expect(try code(idToken, ["policy": "b2c_1_both"]) == 1018)
            #expect(try code(idToken, ["provider": "nobody"]) == 1009)
            #expect(try code(idToken, ["policy": "b2c_1_sign_in"]) == 1009)
            #expect(try code(["token": "x"]) == -32602)
            #expect(try code(["id_token": "x", "access_token": "y"]) == -32602)
            let alone = try connection.refusal(
                "token.acquire",
                ["scopes": ["tasks.read"], "policy": "b2c_1_partner", "providerToken": idToken]
            )
            #expect(alone.code == -32602)
            let stepUp = try connection.refusal(
                "flow.start",
                ["policy": "b2c_1_step_up", "provider": "partner", "requestId": "r-2"]
            )
            #expect(stepUp.code == -32602)
            #expect(try connection.call("flow.list")["flows"] == [])
            #expect(try connection.call("account.list")["accounts"] == [])
            let events = try connection.call("audit.query")["events"]?.array ?? []
            #expect(events.filter { $0["event"]?.string == "flow.failed" }.count == 7, "\(events)")
        }
    }

    @Test("further checks follow the provider's token, natively; with prompt none they are 1001")
    func more() async throws {
        try await withProvider { provider, machine, connection in
            let idToken: JSONValue = ["id_token": .string(try provider.idToken())]
            let scopes: JSONValue = ["scopes": ["accessRestricted"], "prompt": "none"]
            #expect(try connection.refusal("token.acquire", asked(idToken, scopes)).code == 1001)
            #expect(try connection.call("flow.list")["flows"] == [])
            let started = try connection.call("token.acquire", asked(idToken, ["scopes": ["accessRestricted"]]))
            let flow = try #require(started["flow"])
            #expect(flow["step"]?["type"]?.string == "pin_setup" && flow["browser"] == nil, "\(flow)")
            let done = try connection.submit(flow, ["pin": "4711"])
            #expect(done["token"]?["amr"]?.array?.contains("fed") == true, "\(done)")
        }
    }

    @Test("the flow's link leads directly to a named provider, also if a password would be enough")
    func named() async throws {
        try await withProvider { provider, machine, connection in
            _ = try connection.call("token.acquire", asked(["id_token": .string(try provider.idToken())]))
            _ = try connection.call("session.signOut", ["all": true])
            let started = try connection.call("token.acquire", asked(nil, ["policy": "b2c_1_both"]))
            let link = try #require(started["flow"]?["browser"]?["url"]?.string, "\(started)")
            provider.tell(.cancels)
            var (ours, theirs) = (WebBrowser(), WebBrowser())
            let back = try await theirs.open(try destination(of: try await ours.open(link)))
            let page = try await ours.open(try destination(of: back))
            // The user has cancelled at the provider, so the browser is not redirected to the provider again.
            #expect(page.status == 200 && page.text.contains("value=\"partner\""), "\(page.text)")
            provider.tell(nil)
            let leaving = try await ours.submit(page, ["_provider": "partner"])
            let done = try await ours.open(try destination(of: try await theirs.open(try destination(of: leaving))))
            #expect(done.status == 200, "\(done.text)")
            let token = try connection.call("token.acquire", asked(nil, ["policy": "b2c_1_both", "prompt": "none"]))
            #expect(token["token"]?["amr"] == ["fed"])
        }
    }

    /// The ways in which a command-line program finds its policy.
    enum Naming: String, CaseIterable {
        case tokenbroker, tasks, tasksByItsFile

        var program: String { self == .tokenbroker ? "tokenbroker" : "tasks" }
    }

    @Test(
        "both command lines sign in with a provider in a browser, `tasks` also with the policy `social`",
        arguments: Naming.allCases
    )
    func commands(_ naming: Naming) async throws {
        try await withProvider { provider, machine, connection in
            let program = naming.program
            var options: [String] = []
            switch naming {
            case .tokenbroker: break
            case .tasks: options = machine.tasksArguments + ["--policy", "b2c_1_partner"]
            case .tasksByItsFile:
                options = machine.tasksArguments
                let lines = ["api: \(machine.api)", "policies: {social: b2c_1_partner}"]
                try machine.write(lines, to: "etc/tasks.yaml")
            }
            let process = try BuiltProgram(program).start(
                ["sign-in", "--provider", "partner"] + options,
                environment: machine.environment
            )
            var link = ""
            try await waitUntil("\(program) printed its link") {
                link = process.errors().firstMatch(of: /Sign in with a browser: (\S+)\n/).map { String($0.1) } ?? ""
                return !link.isEmpty
            }
            var (ours, theirs) = (WebBrowser(), WebBrowser())
            let done = try await ours.open(
                try destination(of: try await theirs.open(try destination(of: try await ours.open(link))))
            )
            #expect(done.status == 200, "\(done.text)")
            #expect(process.wait() == 0, "\(process.errors())")
            let accounts = try connection.call("account.list")["accounts"]?.array
            #expect(accounts?.count == 1 && accounts?[0]["policies"] == ["b2c_1_partner"], "\(accounts ?? [])")
            let unknown = try BuiltProgram(program).run(
                ["sign-in", "--provider", "nobody"] + options,
                environment: machine.environment
            )
            #expect(unknown.status != 0 && unknown.errors.contains("does not offer this provider"), "\(unknown.errors)")
        }
    }
}
