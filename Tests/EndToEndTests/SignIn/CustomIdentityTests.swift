import Crypto
import Foundation
import Moments
import NIOHTTP1
import OAuth
import TestSupport
import Testing
import Tokens

/// End-to-end tests of custom identity providers, with the provider of `Examples/`.
@Suite(.timeLimit(.minutes(5)))
struct CustomIdentityTests {
    private static let right = CustomProvider.right

    private func asked(_ scope: String, _ connection: Connection, _ extra: JSONValue = [:]) throws -> JSONValue {
        var params: [String: JSONValue] = ["scopes": [.string(scope)], "policy": "b2c_1_sign_in"]
        params.merge(extra.object ?? [:]) { $1 }
        let answer = try connection.call("token.acquire", .object(params))
        #expect(answer["kind"]?.string == "flow", "\(answer)")
        return try #require(answer["flow"])
    }

    private func end(_ programs: RunningProgram...) {
        for program in programs {
            program.signal(SIGTERM)
            #expect(program.wait() == 0)
        }
    }

    @Test(
        "`protect: {/protected: corp}` admits only the provider's user, and the API shows that user's profile"
    )
    func protected() async throws {
        let provider = try CustomProvider("Corp", [])
        defer { provider.end() }
        let machine = try Machine.of([provider])
        let file = machine.folder.path("etc/tasksd.yaml")
        let lines = try String(contentsOfFile: file, encoding: .utf8).split(separator: "\n").map(String.init)
        try machine.write(lines + ["protect: {/protected: corp}"], to: "etc/tasksd.yaml")
        let (broker, api) = (try machine.startBroker(), try machine.startTasks())
        let connection = try machine.connect()
        let (person, other) = (Person.random(), Person.random())
        try person.signUp(connection, on: machine)
        let url = "\(machine.api)/protected"
        let nobody = try await WebAnswer.to(.GET, url, token: nil)
        #expect(nobody.status == 401 && nobody.text == "Unauthorized")
        let plain = try person.token(connection)["accessToken"]?.string
        #expect(try await WebAnswer.to(.GET, url, token: plain).status == 403)

        let flow = try asked("corp", connection)
        let step = try #require(flow["step"])
        #expect(step["type"] == "external" && step["check"] == "Corp" && step["data"]?["realm"] == "CorpRealm")
        #expect(step["nodes"]?.array?.compactMap { $0["name"]?.string } == ["username", "password"])
        #expect(step["nodes"]?.array?.compactMap { $0["kind"]?.string } == ["text", "secret"])
        #expect(step["messages"]?.array?.first?["text"] == "Enter username and password")
        let wrong = try connection.submit(flow, ["username": "john.lennon", "password": "54321"])
        #expect(wrong["verdict"] == "next" && wrong["flow"]?["step"]?["attempts"]?["remaining"] == 4, "\(wrong)")
        let missing = Connection.submission(try #require(wrong["flow"]), ["username": "john.lennon"])
        #expect(try connection.refusal("flow.submit", missing).code == 1006)
        let done = try connection.submit(try #require(wrong["flow"]), Self.right)
        #expect(done["verdict"] == "accepted", "\(done)")
        let token = try connection.call("token.acquire", ["scopes": ["corp"], "prompt": "none"])["token"]
        #expect(token?["claims"]?["imf.user"]?["id"] == "john.lennon", "\(token ?? .null)")
        let shown = try await WebAnswer.to(.GET, url, token: token?["accessToken"]?.string)
        let profile = try StrictJSON.parse(Array(shown.text.utf8))
        #expect(
            profile == [
                "id": "john.lennon", "displayName": "John Lennon", "authBy": "CorpRealm",
                "attributes": ["dob": "October 9, 1940"],
            ],
            "\(shown.text)"
        )
        #expect(!provider.program.output().contains("startAuthorization 401"), "requests are signed")

        // The provider's account now belongs to the first user, so a second user cannot authenticate with it.
        try other.signUp(connection, on: machine)
        let accounts = try connection.call("account.list")["accounts"]?.array
        let account = accounts?.first { $0["username"]?.string == other.email }?["account"] ?? .null
        let second = try asked("corp", connection, ["account": account])
        let refused = try connection.refusal("flow.submit", Connection.submission(second, Self.right))
        #expect(refused.code == 1020, "\(refused)")
        end(api, broker)
    }

    @Test("a policy with a custom identity provider creates an account once, over several challenges and a kill")
    func alone() throws {
        let provider = try CustomProvider("Corp", ["--steps", "2"])
        defer { provider.end() }
        let machine = try Machine.of([provider])
        var broker = try machine.startBroker()
        var subjects: [String] = []
        for round in 0..<2 {
            var connection = try machine.connect()
            let start: JSONValue = ["policy": "b2c_1_corp", "requestId": .string("corp-\(round)")]
            let flow = try #require(try connection.call("flow.start", start)["flow"])
            let next = try #require(try connection.submit(flow, Self.right)["flow"])
            #expect(next["step"]?["nodes"]?.array?.first?["name"] == "code", "\(next)")
            if round == 0 {
                broker.signal(SIGKILL)
                broker.wait()
                broker = try machine.startBroker()
                connection = try machine.connect()
            }
            #expect(try connection.submit(next, ["code": "2468"])["verdict"] == "accepted")
            let silent: JSONValue = ["scopes": ["tasks.read"], "policy": "b2c_1_corp", "prompt": "none"]
            let token = try connection.call("token.acquire", silent)["token"]
            #expect(token?["claims"]?["name"] == "John Lennon", "\(token ?? .null)")
            subjects.append(token?["claims"]?["sub"]?.string ?? "\(round)")
            _ = try connection.call("session.signOut", ["all": true])
        }
        #expect(subjects[0] == subjects[1])
        // The provider ends the conversation after a wrong code in the second step.
        let connection = try machine.connect()
        let start: JSONValue = ["policy": "b2c_1_corp", "requestId": "corp-wrong"]
        let flow = try #require(try connection.call("flow.start", start)["flow"])
        let next = try #require(try connection.submit(flow, Self.right)["flow"])
        let failed = try connection.submit(next, ["code": "1357"])
        #expect(failed["flow"]?["state"] == "failed" && failed["flow"]?["reason"] == "denied", "\(failed)")
        end(broker)
    }

    @Test("a provider that fails is 1014 or 1015, counts no attempt, and delays no other user") func faults() throws {
        let table: [(fault: String, code: Int64)] = [
            ("slow", 1014), ("error", 1014), ("html", 1015), ("big", 1015), ("status", 1015),
        ]
        var providers: [CustomProvider] = []
        defer { for provider in providers { provider.end() } }
        for row in table { providers.append(try CustomProvider(row.fault.capitalized, ["--fault", row.fault])) }
        providers.append(try CustomProvider("Unnamed", ["--fault", "unnamed"]))
        providers.append(try CustomProvider("Rude", ["--fault", "rude", "--text-only"]))
        let machine = try Machine.of(providers)
        let broker = try machine.startBroker()
        let (connection, other) = (try machine.connect(), try machine.connect())
        let person = Person.random()
        try person.signUp(connection, on: machine)
        _ = try person.token(other)
        let slow: JSONValue = [
            "jsonrpc": "2.0", "id": 7, "method": "token.acquire",
            "params": ["scopes": ["slow"], "policy": "b2c_1_sign_in"],
        ]
        try connection.socket.send(slow.text)
        for _ in 0..<20 { #expect(try person.token(other)["fromCache"] == true) }
        for row in table where row.fault != "slow" {
            let params: JSONValue = ["scopes": [.string(row.fault)], "policy": "b2c_1_sign_in"]
            #expect(try other.refusal("token.acquire", params).code == row.code, "\(row)")
        }
        let unnamed = try asked("unnamed", other)
        for _ in 0..<2 {
            let refused = try other.refusal("flow.submit", Connection.submission(unnamed, Self.right))
            #expect(refused.code == 1015, "\(refused)")
        }
        let left = try other.call("flow.get", ["flow": unnamed["id"] ?? .null])["flow"]?["step"]?["attempts"]
        #expect(left?["remaining"] == 5, "\(left ?? .null)")
        let rude = try asked("rude", other)
        let said = rude["step"]?["messages"]?.array?.first?["text"]?.string
        #expect(said == "[2Jevil Enter username and password", "\(said ?? "")")
        #expect(rude["step"]?["nodes"]?.array?.compactMap { $0["kind"]?.string } == ["json"])
        #expect(try other.submit(rude, Self.right)["verdict"] == "accepted")
        #expect(try connection.socket.receive().contains("1014"))
        end(broker)
    }

    @Test("a request to a provider is signed over its address and body, by a key that the authority publishes")
    func signed() async throws {
        let api = try RecordingAPI()
        let machine = try Machine()
        let place = "http://127.0.0.1:\(api.port)"
        let check = "  Corp: {type: customIdentityProvider, realm: corp, tenant: app, url: \"\(place)\"}\norder:"
        try machine.replace("order:", with: check, in: "checks.yaml")
        let broker = try machine.startBroker()
        let connection = try machine.connect()
        try Person.random().signUp(connection, on: machine)
        // The response of this API does not follow the protocol of identity providers.
        #expect(try connection.refusal("check.login", ["check": "Corp"]).code == 1015)
        let request = try #require(try api.requests().first)
        #expect(request.path == "/apps/app/corp/startAuthorization" && request.method == "POST")
        let published = try await WebAnswer.to(
            .GET,
            "\(machine.base)/local/b2c_1_sign_in/discovery/v2.0/keys",
            token: nil
        )
        let keys = try JWKSet.parse(Data(published.text.utf8))
        let words = (request.headers["authorization"] ?? "").split(separator: " ").map(String.init)
        #expect(words.first == "Bearer")
        let claims = try JWTVerifier.verify(
            words.last ?? "",
            keys: { keys.key(kid: $0) },
            expected: Expectations(
                type: .realmRequest,
                issuer: "\(machine.base)/local",
                audiences: [place + request.path],
                now: MomentClock.system.now
            )
        ).claims
        let digest = Data(SHA256.hash(data: Data(request.body.utf8)))
        #expect(claims["body_sha256"]?.string == Base64URL.encode(digest))
        end(broker)
    }

    @Test("the example handler of a custom identity provider answers its prompts, also after a wrong answer")
    func handler() throws {
        let provider = try CustomProvider("Corp", [])
        defer { provider.end() }
        let machine = try Machine.of([provider])
        let broker = try machine.startBroker()
        try Person.random().signUp(try machine.connect(), on: machine)
        let outcome = try BuiltProgram("example-realm-handler").run(
            [],
            input: "john.lennon\n54321\njohn.lennon\n12345\n",
            environment: ["TOKENBROKER_SOCKET": machine.socket]
        )
        let lines = outcome.output.split(separator: "\n").map(String.init)
        #expect(lines.count == 4, "\(lines) \(outcome.errors)")
        #expect(lines.prefix(2).allSatisfy { $0.hasPrefix("challenge of CorpRealm: ") }, "\(lines)")
        #expect(lines.suffix(2) == ["success: John Lennon", "a token of John Lennon"], "\(lines)")
        end(broker)
    }

    @Test("at a terminal a user signs in with the provider's own prompts") func atTerminal() throws {
        let provider = try CustomProvider("Corp", [])
        defer { provider.end() }
        let machine = try Machine.of([provider])
        let broker = try machine.startBroker()
        let outcome = try machine.atTerminal(
            "tokenbroker",
            ["sign-in", "--policy", "b2c_1_corp"],
            answers: ["username=john.lennon", "password=12345"]
        )
        #expect(outcome.status == 0 && outcome.output.contains("John Lennon"), "\(outcome.output)\(outcome.errors)")
        #expect(!outcome.output.contains("12345"))
        end(broker)
    }
}
