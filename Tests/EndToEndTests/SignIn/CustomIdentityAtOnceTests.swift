import Foundation
import NIOHTTP1
import OAuth
import TestSupport
import Testing

/// Tests of custom identity providers that sign users in without a prompt or send `stateId` only once.
///
/// The tests use the provider of `Examples/`.
@Suite(.timeLimit(.minutes(5)))
struct CustomIdentityAtOnceTests {
    /// A running daemon, and a custom identity provider that has one fault.
    private struct Scene {
        let provider: CustomProvider
        let machine: Machine
        let broker: RunningProgram
        let connection: Connection

        init(_ fault: String) throws {
            provider = try CustomProvider("Corp", ["--fault", fault])
            machine = try Machine.of([provider])
            let stepUp = [
                "kind: step-up", "displayName: Verify again", "mandatoryScope: [Corp]", "scopes: {tasks.read: []}",
            ]
            try machine.write(stepUp, to: "etc/policies/b2c_1_corp_up.yaml")
            broker = try machine.startBroker()
            connection = try machine.connect()
        }

        func end() {
            broker.signal(SIGTERM)
            #expect(broker.wait() == 0)
            provider.end()
        }

        var page: String {
            machine.authorizeAddress(provider.policy, scope: "openid profile tasks.read", [("nonce", "n1")])
        }
    }

    private static let corp: JSONValue = ["scopes": ["tasks.read"], "policy": "b2c_1_corp"]

    @Test(
        "a call for a token signs in without a prompt if the provider knows the user, as the same user each time"
    )
    func known() throws {
        let scene = try Scene("known")
        defer { scene.end() }
        let connection = scene.connection
        var subjects: Set<String> = []
        for round in 0..<2 {
            let answer = try connection.call("token.acquire", Self.corp)
            let claims = answer["token"]?["claims"]
            #expect(answer["kind"] == "token" && claims?["name"] == "John Lennon", "\(round): \(answer)")
            #expect(claims?["imf.user"]?["id"] == "john.lennon" && claims?["idp"] == "CorpRealm", "\(answer)")
            subjects.insert(claims?["sub"]?.string ?? "\(round)")
            // The sign-in has created a session, so a request without a prompt succeeds.
            let silent: JSONValue = ["scopes": ["tasks.read"], "policy": "b2c_1_corp", "prompt": "none"]
            #expect(try connection.call("token.acquire", silent)["kind"] == "token")
            _ = try connection.call("session.signOut", ["all": true])
        }
        #expect(subjects.count == 1)
        let start: JSONValue = ["policy": "b2c_1_corp", "requestId": "corp"]
        let flow = try connection.call("flow.start", start)["flow"]
        #expect(flow?["state"] == "succeeded" && flow?["account"]?.string != nil, "\(flow ?? .null)")
        let accounts = try connection.call("account.list")["accounts"]?.array
        #expect(accounts?.map { $0["account"] } == [flow?["account"]], "\(accounts ?? [])")
    }

    @Test("if a session lacks only a check without prompts, a scope, a step-up and `check.login` get it at once")
    func steppedUp() throws {
        let scene = try Scene("known")
        defer { scene.end() }
        let connection = scene.connection
        try Person.random().signUp(connection, on: scene.machine)
        func state() throws -> String? { try connection.call("check.status", ["check": "Corp"])["state"]?.string }
        #expect(try state() == "none")
        let start: JSONValue = ["policy": "b2c_1_corp_up", "requestId": "up"]
        let stepped = try connection.call("flow.start", start)["flow"]
        #expect(stepped?["state"] == "succeeded" && stepped?["account"]?.string != nil, "\(stepped ?? .null)")
        #expect(try state() == "success")
        _ = try connection.call("check.logout", ["check": "Corp"])
        #expect(try state() == "none")
        let logged = try connection.call("check.login", ["check": "Corp"])["flow"]
        #expect(logged?["state"] == "succeeded" && logged?["account"] == stepped?["account"], "\(logged ?? .null)")
        #expect(try state() == "success")
        _ = try connection.call("check.logout", ["check": "Corp"])
        let params: JSONValue = ["scopes": ["corp"], "policy": "b2c_1_sign_in"]
        let token = try connection.call("token.acquire", params)["token"]
        #expect(token?["claims"]?["imf.user"]?["id"] == "john.lennon", "\(token ?? .null)")
    }

    @Test("the browser of a user that the provider knows is redirected to the client with a code at once")
    func knownPage() async throws {
        let scene = try Scene("known")
        defer { scene.end() }
        var subjects: Set<String> = []
        for round in 0..<2 {
            var browser = WebBrowser()
            let tokens = try await scene.machine.redeem(try await browser.open(scene.page), scene.provider.policy)
            let token = try #require(tokens["id_token"]?.string, "\(tokens)")
            let payload = try #require(Base64URL.decode(String(token.split(separator: ".")[1])))
            let claims = try StrictJSON.parse(payload)
            #expect(claims["name"] == "John Lennon" && claims["nonce"] == "n1", "\(claims)")
            subjects.insert(claims["sub"]?.string ?? "\(round)")
        }
        #expect(subjects.count == 1)
    }

    @Test("a provider that rejects the user without a prompt is 1008, and leaves no flow") func refuses() throws {
        let scene = try Scene("refuses")
        defer { scene.end() }
        let connection = scene.connection
        let start: JSONValue = ["policy": "b2c_1_corp", "requestId": "no"]
        for (method, params) in [("token.acquire", Self.corp), ("flow.start", start)] {
            for _ in 0..<2 {
                let refused = try connection.refusal(method, params)
                #expect(refused.code == 1008 && refused.data["check"] == "Corp", "\(method): \(refused)")
            }
        }
        #expect(try connection.call("flow.list")["flows"]?.array?.isEmpty == true)
        #expect(try connection.call("account.list")["accounts"]?.array?.isEmpty == true)
        try Person.random().signUp(connection, on: scene.machine)
        #expect(try connection.refusal("check.login", ["check": "Corp"]).code == 1008)
        #expect(try connection.call("check.status", ["check": "Corp"])["state"] == "none")
    }

    @Test("a browser that the provider rejects without a prompt returns to the client with the error")
    func refusesPage()
        async throws
    {
        let scene = try Scene("refuses")
        defer { scene.end() }
        var browser = WebBrowser()
        let page = try await browser.open(scene.page)
        let location = try #require(page.headers.first(name: "Location"), "\(page.status) \(page.text)")
        #expect(location.contains("error=unmet_authentication_requirements"), "\(location)")
        #expect(!location.contains("code="))
    }

    @Test("a `stateId` is sent with every answer of its conversation, even if only the first response had it")
    func terse() throws {
        let scene = try Scene("terse")
        defer { scene.end() }
        let start: JSONValue = ["policy": "b2c_1_corp", "requestId": "terse"]
        let flow = try #require(try scene.connection.call("flow.start", start)["flow"])
        let wrong = try scene.connection.submit(flow, ["username": "john.lennon", "password": "54321"])
        let again = try #require(wrong["flow"])
        #expect(wrong["verdict"] == "next" && again["step"]?["type"] == "external", "\(wrong)")
        #expect(try scene.connection.submit(again, CustomProvider.right)["verdict"] == "accepted")
    }
}
