import Foundation
import OAuth
import TestSupport
import Testing

/// End-to-end tests of API connectors at the socket and at a terminal, with the connector of `Examples/`.
@Suite(.timeLimit(.minutes(5)))
struct ConnectorTests {
    private func end(_ programs: RunningProgram...) {
        for program in programs {
            program.signal(SIGTERM)
            #expect(program.wait() == 0)
        }
    }

    private func sentence(_ flow: JSONValue?) -> String? { flow?["step"]?["messages"]?.array?.last?["text"]?.string }

    @Test("before an account is created, a connector changes or rejects its attributes, or ends the sign-up")
    func beforeUserCreated() throws {
        let connector = try APIConnector()
        defer { connector.end() }
        let machine = try Machine.connected("beforeUserCreated: \(connector.keys())")
        let broker = try machine.startBroker()
        let connection = try machine.connect()
        let person = Person.random()
        let refused = try person.signUpConnected(connection, on: machine, name: "Admin")
        #expect(refused["verdict"] == "rejected", "\(refused)")
        let again = try #require(refused["flow"])
        #expect(again["step"]?["type"] == "attributes", "\(again)")
        #expect(sentence(again) == "Choose another name.")
        let filled = again["step"]?["nodes"]?.array?.first { $0["name"] == "email" }?["value"]
        #expect(filled?.string == person.email)
        // The e-mail address is already verified, so no second code is sent.
        let done = try connection.submit(again, person.attributes("Ann"))
        #expect(done["verdict"] == "accepted", "\(done)")
        #expect(done["token"]?["claims"]?["city"] == "Oxford" && done["token"]?["claims"]?["name"] == "Ann")
        #expect(done["token"]?["claims"]?["email"]?.string == person.email)
        let told = try connector.told("PostAttributeCollection")
        #expect(told.map { $0["displayName"] } == ["Admin", "Ann"])
        #expect(told.allSatisfy { $0["email"]?.string == person.email && $0["city"] == "Oslo" })
        #expect(told.allSatisfy { $0["client_id"] == "tokenbroker-cli" && $0["password"] == nil })
        #expect(try connector.told("PreTokenIssuance").isEmpty)

        let other = Person.random()
        let blocked = try other.signUpConnected(connection, on: machine, name: "Mallory")
        #expect(blocked["verdict"] == "rejected", "\(blocked)")
        let flow = blocked["flow"]
        #expect(flow?["state"] == "failed" && flow?["reason"] == "denied", "\(flow ?? .null)")
        #expect(flow?["message"] == "Mallory is not allowed to sign in.")
        let shown = try connection.call("flow.get", ["flow": flow?["id"] ?? .null])["flow"]
        #expect(shown?["message"] == "Mallory is not allowed to sign in.")
        // No account was created, so a sign-in fails.
        #expect(try other.signIn(connection) == "rejected")
        end(broker)
    }

    @Test(
        "before tokens are issued, a connector adds declared claims; a renewal keeps them without a call"
    )
    func beforeToken() throws {
        let connector = try APIConnector(["--fault", "greedy"])
        defer { connector.end() }
        let machine = try Machine.connected("beforeToken: \(connector.keys())")
        let broker = try machine.startBroker()
        let connection = try machine.connect()
        let german = try machine.connect()
        let hello: JSONValue = ["protocol": [1], "client": ["id": "tokenbroker-cli"], "locale": "de-AT"]
        _ = try german.call("broker.hello", hello)
        let person = Person.random()
        let done = try person.signUpConnected(german, on: machine, name: "Ann")
        let claims = done["token"]?["claims"]
        #expect(claims?["level"] == "gold" && claims?["city"] == "Oslo", "\(done)")
        #expect(claims?["email"]?.string == person.email && claims?["unasked"] == nil && claims?["oid"] != "0")
        #expect(claims?["sub"] == claims?["oid"] && done["token"]?["scopes"] == ["tasks.read"])
        let told = try connector.told("PreTokenIssuance")
        #expect(told.count == 1 && told.first?["objectId"] == claims?["oid"], "\(told)")
        #expect(told.first?["displayName"] == "Ann" && told.first?["client_id"] == "tokenbroker-cli")
        #expect(told.first?["ui_locales"] == "de-at")
        let again: JSONValue = [
            "policy": .string(Machine.connected), "scopes": ["tasks.read"], "prompt": "none", "forceRefresh": true,
        ]
        let renewed = try connection.call("token.acquire", again)["token"]
        #expect(renewed?["accessToken"] != done["token"]?["accessToken"] && renewed?["claims"]?["level"] == "gold")
        // A second client gets a token from the same session, and the daemon calls the connector again.
        let other: JSONValue = [
            "policy": .string(Machine.connected), "scopes": ["tasks.read"], "prompt": "none", "client": "tasks-cli",
        ]
        #expect(try connection.call("token.acquire", other)["token"]?["claims"]?["level"] == "gold")
        #expect(try connector.told("PreTokenIssuance").count == 2)
        end(broker)
    }

    @Test("after a first sign-in with a provider, a connector fills in attributes for the prompt, or rejects the user")
    func afterFederation() throws {
        let (connector, provider) = (try APIConnector(), try CustomProvider("Corp", []))
        defer {
            connector.end()
            provider.end()
        }
        let both = "afterFederation: \(connector.keys()), beforeUserCreated: \(connector.keys())"
        let machine = try Machine.connected(both, provider: provider)
        let broker = try machine.startBroker()
        let connection = try machine.connect()
        let start: JSONValue = ["policy": .string(Machine.connected), "scopes": ["tasks.read"]]
        let flow = try #require(try connection.call("token.acquire", start)["flow"])
        let asked = try #require(try connection.submit(flow, CustomProvider.right)["flow"])
        #expect(asked["step"]?["type"] == "attributes", "\(asked)")
        let nodes = asked["step"]?["nodes"]?.array
        #expect(nodes?.compactMap { $0["name"]?.string } == ["displayName", "city"], "\(asked)")
        #expect(nodes?.compactMap { $0["value"]?.string } == ["John Lennon", "Oxford"])
        let refused = try connection.submit(asked, ["displayName": "Admin", "city": "Hull"])
        #expect(sentence(refused["flow"]) == "Choose another name.", "\(refused)")
        let done = try connection.submit(try #require(refused["flow"]), ["displayName": "Jane", "city": "Hull"])
        #expect(done["token"]?["claims"]?["name"] == "Jane", "\(done)")
        let told = try connector.told("PostFederationSignup")
        let identity = told.first?["identities"]?.array?.first
        #expect(told.count == 1 && identity?["issuerAssignedId"] == "john.lennon", "\(told)")
        #expect(identity?["signInType"] == "federated" && told.first?["displayName"] == "John Lennon")
        #expect(try connector.told("PostAttributeCollection").map { $0["displayName"] } == ["Admin", "Jane"])
        // If the account already exists, the connector is not called.
        _ = try connection.call("session.signOut", ["all": true])
        let second = try #require(try connection.call("token.acquire", start)["flow"])
        #expect(try connection.submit(second, CustomProvider.right)["token"]?["claims"]?["name"] == "Jane")
        #expect(try connector.told("PostFederationSignup").count == 1)
        end(broker)
    }

    @Test(
        "a connector that blocks after the provider ends the flow with a message; a validation error prompts again",
        arguments: ["rude", "Admin"]
    )
    func turnedAway(_ how: String) throws {
        // The name comes from the provider, so a connector that rejects this name rejects the user.
        let connector = try APIConnector(how == "rude" ? ["--fault", "rude"] : ["--unwanted", "John Lennon"])
        let provider = try CustomProvider("Corp", [])
        defer {
            connector.end()
            provider.end()
        }
        let machine = try Machine.connected("afterFederation: \(connector.keys())", provider: provider)
        let broker = try machine.startBroker()
        let connection = try machine.connect()
        let start: JSONValue = ["policy": .string(Machine.connected), "scopes": ["tasks.read"]]
        let flow = try #require(try connection.call("token.acquire", start)["flow"])
        let answer = try connection.submit(flow, CustomProvider.right)
        if how == "rude" {
            #expect(
                answer["flow"]?["state"] == "failed" && answer["flow"]?["message"] == "[2Jevil go away",
                "\(answer)"
            )
        } else {
            #expect(answer["flow"]?["step"]?["type"] == "external", "\(answer)")
            #expect(sentence(answer["flow"]) == "Choose another name.")
        }
        end(broker)
    }

    @Test("a connector that fails is 1014 or 1015, no user is signed up, and the prompt stays; it is called twice")
    func faults() throws {
        let table: [(fault: String, code: Int64, calls: Int)] = [
            ("error", 1014, 2), ("html", 1015, 1), ("big", 1015, 1), ("version", 1015, 1), ("action", 1015, 1),
            ("mute", 1015, 1), ("status", 1015, 1),
        ]
        for row in table {
            let connector = try APIConnector(["--fault", row.fault])
            defer { connector.end() }
            let machine = try Machine.connected("beforeUserCreated: \(connector.keys())")
            let broker = try machine.startBroker()
            let connection = try machine.connect()
            let person = Person.random()
            let flow = try person.beginConnected(connection, name: "Ann")
            let code = JSONValue.string(try machine.code(for: person.email))
            let refused = try connection.refusal("flow.submit", Connection.submission(flow, ["code": code]))
            #expect(refused.code == row.code, "\(row) \(refused)")
            #expect(try connector.told("PostAttributeCollection").count == row.calls, "\(row)")
            let open = try connection.call("flow.get", ["flow": flow["id"] ?? .null])["flow"]
            #expect(open?["step"]?["type"] == "attributes", "\(row) \(open ?? .null)")
            #expect(try person.signIn(connection) == "rejected", "\(row)")
            end(broker)
        }
    }

    @Test("before a token only Continue is accepted: anything else is 1015, and the user stays signed in")
    func noToken() throws {
        for (fault, code) in [("rude", 1015 as Int64), ("error", 1014)] {
            let connector = try APIConnector(["--fault", fault])
            defer { connector.end() }
            let machine = try Machine.connected("beforeToken: \(connector.keys())")
            let broker = try machine.startBroker()
            let connection = try machine.connect()
            let person = Person.random()
            let flow = try person.beginConnected(connection, name: "Ann")
            let answer = JSONValue.string(try machine.code(for: person.email))
            let refused = try connection.refusal("flow.submit", Connection.submission(flow, ["code": answer]))
            #expect(refused.code == code, "\(fault) \(refused)")
            let silent: JSONValue = ["policy": .string(Machine.connected), "scopes": ["tasks.read"], "prompt": "none"]
            #expect(try connection.refusal("token.acquire", silent).code == code)
            #expect(try #require(try connection.call("account.list")["accounts"]?.array).count <= 1)
            end(broker)
        }
    }

    @Test("a connector that fails once is called again within the same call; one that hangs delays no other user")
    func slow() throws {
        let (once, slow) = (try APIConnector(["--fault", "once"]), try APIConnector(["--fault", "slow"]))
        defer {
            once.end()
            slow.end()
        }
        let machine = try Machine.connected(
            "beforeUserCreated: \(once.keys()), beforeToken: \(slow.keys(", timeoutSec: 1"))"
        )
        let broker = try machine.startBroker()
        let (connection, other) = (try machine.connect(), try machine.connect())
        let (person, neighbour) = (Person.random(), Person.random())
        try neighbour.signUp(other, on: machine)
        _ = try neighbour.token(other)
        let flow = try person.beginConnected(connection, name: "Ann")
        let answers: JSONValue = ["code": .string(try machine.code(for: person.email))]
        let submit: JSONValue = [
            "jsonrpc": "2.0", "id": 77, "method": "flow.submit", "params": Connection.submission(flow, answers),
        ]
        try connection.socket.send(submit.text)
        for _ in 0..<20 { #expect(try neighbour.token(other)["fromCache"] == true) }
        let reply = try connection.socket.receive()
        #expect(reply.contains("1014"), "\(reply)")
        #expect(try once.told("PostAttributeCollection").count == 2)
        end(broker)
    }

    @Test("requests authenticate with a name and a password, or with a token, read from files")
    func secrets() throws {
        for (flags, auth, file) in [
            (
                ["--user", "broker:s3cret horse"], "kind: basic, username: broker, passwordFile: outside.secret",
                "s3cret horse"
            ),
            (["--token", "t0ken-of-ours"], "kind: bearer, tokenFile: outside.secret", "t0ken-of-ours"),
        ] {
            let connector = try APIConnector(flags)
            defer { connector.end() }
            let machine = try Machine.connected("beforeToken: \(connector.keys(", auth: {\(auth)}"))")
            try machine.write([file], to: "etc/policies/outside.secret")
            let path = machine.policies + "/outside.secret"
            try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: path)
            let open = try machine.runBroker(["--check"])
            #expect(open.status == 78 && open.errors.contains("must be 0600"), "\(open.errors)")
            try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: path)
            let broker = try machine.startBroker()
            let connection = try machine.connect()
            let person = Person.random()
            let done = try person.signUpConnected(connection, on: machine, name: "Ann")
            #expect(done["token"]?["claims"]?["level"] == "gold", "\(done)")
            end(broker)
            #expect(try !broker.log().contains(file))
            // The connector responds to a wrong credential with 401, which the daemon treats as an invalid response.
            try "another\n".write(toFile: path, atomically: false, encoding: .utf8)
            let later = try machine.startBroker()
            let again = try machine.connect()
            let silent: JSONValue = [
                "policy": .string(Machine.connected), "scopes": ["tasks.read"], "prompt": "none", "client": "tasks-cli",
            ]
            #expect(try again.refusal("token.acquire", silent).code == 1015)
            end(later)
        }
    }

    @Test("a connector that requires a client certificate gets it, and does not respond without one") func certificate()
        throws
    {
        let folder = try TemporaryFolder()
        let files = try LocalCertificate.write(to: folder)
        let tls = ["--certificate", files.certificate, "--key", files.privateKey, "--clients", files.certificate]
        let connector = try APIConnector(tls, scheme: "https")
        defer { connector.end() }
        let proof =
            "kind: clientCertificate, certificateFile: \"\(files.certificate)\", privateKeyFile: \"\(files.privateKey)\""
        try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: files.privateKey)
        for (keys, level) in [(", auth: {\(proof)}", "gold" as JSONValue?), ("", nil)] {
            let machine = try Machine.connected(
                "beforeToken: \(connector.keys(keys))",
                configuration: ["outgoing: {caFile: \"\(files.certificate)\"}"]
            )
            let broker = try machine.startBroker()
            let connection = try machine.connect()
            let person = Person.random()
            let flow = try person.beginConnected(connection, name: "Ann")
            let code: JSONValue = ["code": .string(try machine.code(for: person.email))]
            if let level {
                let done = try connection.submit(flow, code)
                #expect(done["token"]?["claims"]?["level"] == level, "\(done)")
            } else {
                #expect(try connection.refusal("flow.submit", Connection.submission(flow, code)).code == 1014)
            }
            end(broker)
        }
    }

    @Test("at a terminal the user sees why they were rejected") func atTerminal() throws {
        let connector = try APIConnector()
        let provider = try CustomProvider("Corp", [])
        defer {
            connector.end()
            provider.end()
        }
        let machine = try Machine.connected(
            "afterFederation: \(connector.keys()), beforeUserCreated: \(connector.keys())",
            provider: provider
        )
        let broker = try machine.startBroker()
        let outcome = try machine.atTerminal(
            "tokenbroker",
            ["sign-in", "--policy", Machine.connected],
            answers: ["username=john.lennon", "password=12345", "Display name=Mallory", "City=Hull"]
        )
        #expect(outcome.status == 77, "\(outcome)")
        #expect((outcome.output + outcome.errors).contains("Mallory is not allowed to sign in."), "\(outcome)")
        end(broker)
    }
}
