import Foundation
import LocalIssuer
import NIOHTTP1
import OAuth
import TestSupport
import Testing

/// End-to-end tests of API connectors that hang, use credentials from files that change, or refuse a provider's users.
///
/// The tests use the connector of `Examples/`.
@Suite(.timeLimit(.minutes(5)))
struct ConnectorShareTests {
    private func end(_ programs: RunningProgram...) {
        for program in programs {
            program.signal(SIGTERM)
            #expect(program.wait() == 0, "\(program.errors())")
        }
    }

    private func sentence(_ flow: JSONValue?) -> String? { flow?["step"]?["messages"]?.array?.last?["text"]?.string }

    /// Starts a sign-up, and returns the flow at the step that asks for the mailed code.
    ///
    /// Identical requests would join one flow, so `number` must differ between requests.
    private func begin(_ person: Person, _ number: Int64, _ connection: Connection) throws -> JSONValue {
        let asked: JSONValue = [
            "policy": .string(Machine.connected), "prompt": "create", "scopes": ["tasks.read"],
            "maxAge": .int(10_000 + number),
        ]
        let flow = try #require(try connection.call("token.acquire", asked)["flow"])
        return try #require(try connection.submit(flow, person.attributes("Ann"))["flow"])
    }

    @Test("eight sign-ups may wait for a connector: the ninth is 1013, and other origins and policies are served")
    func share() async throws {
        let folder = try TemporaryFolder()
        let file = folder.path("go on")
        let (held, free) = (try APIConnector(["--until", file]), try APIConnector())
        defer {
            held.end()
            free.end()
        }
        let machine = try Machine.connected(
            "beforeUserCreated: \(held.keys()), beforeToken: \(free.keys())",
            // With `behindProxy`, HTTP requests have a network address as their origin, which differs from the socket's
            // uid.
            configuration: ["limits: {flowsPerUid: 32}", "behindProxy: true"]
        )
        let broker = try machine.startBroker()
        let other = try machine.connect()
        let neighbour = Person.random()
        try neighbour.signUp(other, on: machine)
        _ = try neighbour.token(other)

        let connections = try (0..<9).map { _ in try machine.connect() }
        var submissions: [JSONValue] = []
        for (number, connection) in connections.enumerated() {
            let person = Person.random()
            let flow = try begin(person, Int64(number), connection)
            let code = try machine.code(for: person.email)
            submissions.append(Connection.submission(flow, ["code": .string(code)]))
        }
        func send(_ number: Int) throws {
            let call: JSONValue = [
                "jsonrpc": "2.0", "id": 77, "method": "flow.submit", "params": submissions[number],
            ]
            try connections[number].socket.send(call.text)
        }
        for number in 0..<8 { try send(number) }
        try blockUntil("eight sign-ups wait for the connector") { held.asked == 8 }
        let refused = try connections[8].refusal("flow.submit", submissions[8])
        #expect(refused.code == 1013 && refused.retryAfterMs != nil, "\(refused)")
        #expect(held.asked == 8)

        // The waiting sign-ups do not delay a cached token, a sign-in with a policy without connectors, or a sign-in
        // with connectors from another origin.
        #expect(try neighbour.token(other)["fromCache"] == true)
        #expect(try neighbour.signIn(other) == "accepted")
        var browser = WebBrowser()
        let page = try await browser.open(
            machine.authorizeAddress(Machine.connected, scope: "openid tasks.read", [("nonce", "n1")])
        )
        let done = try await browser.submit(page, ["username": neighbour.email, "password": neighbour.password])
        let token = try #require(try await machine.redeem(done, Machine.connected)["id_token"]?.string)
        let claims = try #require(Base64URL.decode(String(token.split(separator: ".")[1])))
        #expect(try StrictJSON.parse(claims)["level"] == "gold")
        #expect(held.asked == 8 && free.asked == 1)

        try Data().write(to: URL(fileURLWithPath: file))
        for number in 0..<8 {
            let answer = try connections[number].socket.receive()
            #expect(answer.contains("\"accepted\""), "\(number): \(answer)")
        }
        let open = try #require(
            try connections[8].call("flow.get", ["flow": submissions[8]["flow"] ?? .null])["flow"]
        )
        #expect(open["state"] == "challenge", "\(open)")
        end(broker)
    }

    @Test("flows have the client of `broker.hello`: a connector gets its name, and an unknown client is 1022")
    func client() throws {
        let connector = try APIConnector()
        defer { connector.end() }
        let machine = try Machine.connected("beforeUserCreated: \(connector.keys())")
        let broker = try machine.startBroker()
        func start(as client: String?, _ id: String) throws -> (Connection, JSONValue) {
            let connection = try machine.connect()
            if let client {
                _ = try connection.call("broker.hello", ["protocol": [1], "client": ["id": .string(client)]])
            }
            return (connection, ["policy": .string(Machine.connected), "requestId": .string(id)])
        }
        for (number, client) in ["tasks-cli", nil].enumerated() {
            let (connection, params) = try start(as: client, "r\(number)")
            let person = Person.random()
            let flow = try #require(try connection.call("flow.start", params)["flow"])
            let action: JSONValue = [
                "flow": flow["id"] ?? .null, "step": flow["step"]?["id"] ?? .null, "action": "create",
                "submissionId": "create",
            ]
            let form = try #require(try connection.call("flow.action", action)["flow"])
            let next = try #require(try connection.submit(form, person.attributes("Ann"))["flow"])
            let done = try connection.submit(next, ["code": .string(try machine.code(for: person.email))])
            #expect(done["verdict"] == "accepted", "\(done)")
        }
        let told = try connector.told("PostAttributeCollection").map { $0["client_id"] }
        #expect(told == ["tasks-cli", "tokenbroker-cli"])
        let (connection, params) = try start(as: "nobody", "r3")
        #expect(try connection.refusal("flow.start", params).code == 1022)
        end(broker)
    }

    @Test("a secret may be a credential of the service manager, and without it the policy is refused by name")
    func credential() throws {
        let folder = try TemporaryFolder()
        let (connector, secret) = (try APIConnector(["--token", "t0ken-of-ours"]), folder.path("connector"))
        defer { connector.end() }
        let machine = try Machine.connected(
            "beforeToken: \(connector.keys(", auth: {kind: bearer, tokenFile: \"credential:connector\"}"))",
            environment: ["CREDENTIALS_DIRECTORY": folder.url.path]
        )
        let missing = try machine.runBroker(["--check"])
        #expect(missing.status == 78 && missing.errors.contains(secret), "\(missing.errors)")
        try Data("t0ken-of-ours\n".utf8).write(to: URL(fileURLWithPath: secret))
        try FileManager.default.setAttributes([.posixPermissions: 0o400], ofItemAtPath: secret)
        #expect(try machine.runBroker(["--check"]).status == 0)
        let broker = try machine.startBroker()
        let connection = try machine.connect()
        let done = try Person.random().signUpConnected(connection, on: machine, name: "Ann")
        #expect(done["token"]?["claims"]?["level"] == "gold", "\(done)")
        end(broker)
        #expect(try !broker.log().contains("t0ken-of-ours"))
    }

    @Test("a renewed client certificate is used from the next call on, without a restart")
    func renewed() throws {
        let (server, ours) = (try TemporaryFolder(), try TemporaryFolder())
        let theirs = try LocalCertificate.write(to: server)
        // The connector trusts only the first client certificate, not the renewed one.
        let connector = try APIConnector(
            ["--certificate", theirs.certificate, "--key", theirs.privateKey, "--clients", theirs.certificate],
            scheme: "https"
        )
        defer { connector.end() }
        let files = try LocalCertificate.write(to: ours)
        let paths = "certificateFile: \"\(files.certificate)\", privateKeyFile: \"\(files.privateKey)\""
        try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: files.privateKey)
        let auth = ", auth: {kind: clientCertificate, \(paths)}"
        let machine = try Machine.connected(
            "beforeToken: \(connector.keys(auth))",
            configuration: ["outgoing: {caFile: \"\(theirs.certificate)\"}"]
        )
        let broker = try machine.startBroker()
        let connection = try machine.connect()
        let done = try Person.random().signUpConnected(connection, on: machine, name: "Ann")
        #expect(done["token"]?["claims"]?["level"] == "gold", "\(done)")
        let silent: JSONValue = [
            "policy": .string(Machine.connected), "scopes": ["tasks.read"], "prompt": "none", "client": "tasks-cli",
        ]
        try LocalCertificate.renew(in: ours)
        #expect(try connection.refusal("token.acquire", silent).code == 1014)
        _ = try LocalCertificate.write(to: ours)
        #expect(try connection.call("token.acquire", silent)["token"]?["claims"]?["level"] == "gold")
        end(broker)
    }

    @Test("a connector refuses a user of a provider: the page shows the reason, and the user may try again")
    func afterProvider() async throws {
        let connector = try APIConnector(["--unwanted", "Old Name"])
        defer { connector.end() }
        let scene = ProviderScene()
        func asks(_ machine: Machine) throws {
            let path = machine.policies + "/b2c_1_partner.yaml"
            let policy = try String(contentsOfFile: path, encoding: .utf8)
            try (policy + "connectors: {afterFederation: \(connector.keys())}\n")
                .write(toFile: path, atomically: true, encoding: .utf8)
        }
        try await scene.withProvider(prepared: asks) { provider, machine in
            provider.person("ann", ["name": "Old Name"])
            var browser = WebBrowser()
            let there = try destination(of: try await browser.open(scene.request(machine)))
            let refused = try await scene.visit(there, &browser)
            #expect(refused.status == 200)
            #expect(refused.text.contains("Choose another name."), "\(refused.text)")
            provider.person("ann", ["name": "New Name"])
            let leaving = try await browser.submit(refused, ["_provider": "partner"])
            let done = try await scene.visit(try destination(of: leaving), &browser)
            #expect(try await scene.claims(done, machine)["name"] == "New Name")
            #expect(try connector.told("PostFederationSignup").map { $0["displayName"] } == ["Old Name", "New Name"])
        }
    }

    @Test("a connector refuses a user of an assertion: the step shows the reason, and accepts another assertion")
    func afterAssertion() throws {
        let connector = try APIConnector(["--unwanted", "Old Name"])
        defer { connector.end() }
        let signer = try StatementSigner()
        let machine = try Machine.connected("afterFederation: \(connector.keys())")
        let checks = try String(contentsOfFile: machine.policies + "/checks.yaml", encoding: .utf8)
        let badge =
            "  Badge: {type: assertion, realm: badgeRealm, issuer: \"https://badge.example\", "
            + "publicKey: \"\(signer.pem.replacing("\n", with: " "))\"}"
        try machine.write([checks.replacing("order:", with: badge + "\norder:")], to: "etc/policies/checks.yaml")
        try machine.write(
            [
                "kind: sign-up-or-sign-in", "signInChecks: [Badge]", "claims: [oid, displayName]",
                "scopes: {tasks.read: []}", "connectors: {afterFederation: \(connector.keys())}",
            ],
            to: "etc/policies/\(Machine.connected).yaml"
        )
        func statement(_ name: String) throws -> JSONValue {
            let now = Int64(Date().timeIntervalSince1970)
            let claims: [String: JSONValue] = [
                "iss": "https://badge.example", "sub": "john.lennon", "iat": .int(now), "exp": .int(now + 300),
                "aud": .string("\(machine.base)/local/\(Machine.connected)/v2.0"), "name": .string(name),
            ]
            return ["assertion": .string(try signer.statement(claims, isNamed: false))]
        }
        let broker = try machine.startBroker()
        let connection = try machine.connect()
        let start: JSONValue = ["policy": .string(Machine.connected), "requestId": "badge"]
        let flow = try #require(try connection.call("flow.start", start)["flow"])
        let refused = try connection.submit(flow, try statement("Old Name"))
        #expect(refused["verdict"] == "rejected", "\(refused)")
        #expect(refused["flow"]?["step"]?["type"] == "assertion", "\(refused)")
        #expect(sentence(refused["flow"]) == "Choose another name.", "\(refused)")
        let done = try connection.submit(try #require(refused["flow"]), try statement("New Name"))
        #expect(done["verdict"] == "accepted", "\(done)")
        #expect(try connector.told("PostFederationSignup").map { $0["displayName"] } == ["Old Name", "New Name"])
        end(broker)
    }
}
