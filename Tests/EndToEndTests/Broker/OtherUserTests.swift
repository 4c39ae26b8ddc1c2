import Foundation
import OAuth
import TestSupport
import Testing

/// Tests of what another user of the machine can see and do, with the uid that the kernel reports.
@Suite(.timeLimit(.minutes(5)))
struct OtherUserTests {
    /// A Python script that copies stdin to the socket and the socket's responses to stdout.
    private static let relay = """
        import socket, sys
        peer = socket.socket(socket.AF_UNIX)
        peer.connect(sys.argv[1])
        peer.sendall(sys.stdin.buffer.read())
        peer.shutdown(socket.SHUT_WR)
        while True:
            data = peer.recv(65536)
            if not data:
                break
            sys.stdout.buffer.write(data)
        """

    private let machine: Machine
    private let daemon: RunningProgram
    private let owner: Connection
    private let person = Person.random()
    private let account: JSONValue
    private let flow: JSONValue

    /// Starts a daemon whose socket every user can open, signs a user up and starts a flow.
    init() throws {
        try requireRoot("becomes another user")
        machine = try Machine(isService: true)
        daemon = try machine.startBroker()
        try machine.openToOthers()
        owner = try machine.connect()
        try person.signUp(owner, on: machine)
        account = try #require(person.token(owner)["account"])
        let started = try owner.call("flow.start", ["policy": "b2c_1_sign_in", "requestId": "theirs"])
        flow = try #require(started["flow"])
    }

    /// Makes calls as the other user, and returns the responses in the order of the calls.
    private func ask(
        _ calls: [(method: String, params: JSONValue)],
        on other: Machine? = nil
    ) throws -> [JSONValue] {
        let lines = calls.enumerated().map { index, call -> String in
            let request: JSONValue = [
                "jsonrpc": "2.0", "id": .int(Int64(index)), "method": .string(call.method), "params": call.params,
            ]
            return request.text + "\n"
        }
        let output = try OtherUser.run(Self.relay, [(other ?? machine).socket], input: lines.joined())
        let answers = try output.split(separator: "\n").map { try StrictJSON.parse(Array($0.utf8)) }
        return try calls.indices.map { index in try #require(answers.first { $0["id"]?.int == Int64(index) }) }
    }

    /// Returns a response as text, without the parts that differ from call to call.
    private func plain(_ answer: JSONValue, _ flow: JSONValue) -> String {
        var members = answer.object ?? [:]
        members["id"] = nil
        return JSONValue.object(members).text
            .replacing(flow.string ?? "-", with: "FLOW")
            .replacing(/[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/, with: "ID")
    }

    @Test("another user cannot distinguish a flow from one that does not exist") func flows() throws {
        let own = try #require(flow["id"]?.string)
        let unknown = own.prefix(3) + String(own.dropFirst(3).reversed())
        try #require(own != unknown)
        let answers: JSONValue = ["username": .string(person.email), "password": .string(person.password)]
        func calls(_ id: String) -> [(method: String, params: JSONValue)] {
            var named = flow.object ?? [:]
            named["id"] = .string(id)
            return [
                ("flow.get", ["flow": .string(id)]), ("flow.wait", ["flow": .string(id), "timeoutMs": 1]),
                ("flow.submit", Connection.submission(.object(named), answers, submission: "s")),
                (
                    "flow.action",
                    [
                        "flow": .string(id), "step": flow["step"]?["id"] ?? .null, "action": "forgot",
                        "submissionId": "a",
                    ]
                ),
                ("flow.cancel", ["flow": .string(id)]),
            ]
        }
        let unknowns = try ask(calls(String(unknown)))
        for answer in unknowns { #expect(answer["error"]?["code"]?.int == 1002, "\(answer.text)") }
        let theirs = try ask(calls(own))
        for (theirs, never) in zip(theirs, unknowns) {
            #expect(plain(theirs, .string(own)) == plain(never, .string(String(unknown))))
        }
        // The other user's calls have not changed the flow.
        #expect(try owner.call("flow.get", ["flow": .string(own)])["flow"] == flow)
    }

    @Test("idle connections of one user to the authority's socket do not block other users") func authority() throws {
        let path = machine.folder.path("run/authority.sock")
        let idle = try (0..<530).map { _ in try LineSocket(path) }
        try blockUntil("connections beyond the limit are closed") { idle.count { !$0.isClosed(within: 0) } <= 64 }
        let request = "GET /healthz HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n"
        let answer = try OtherUser.run(Self.relay, [path], input: request)
        #expect(answer.hasPrefix("HTTP/1.1 200"), "\(answer)")
        #expect(idle.count { !$0.isClosed(within: 0) } == 64)
    }

    @Test("another user sees no account, token, flow or event of the first, and ends none of their sessions")
    func lists() throws {
        let answers = try ask([
            ("account.list", [:]), ("token.list", [:]), ("flow.list", [:]), ("audit.query", [:]),
            ("account.get", ["account": account]), ("account.use", ["account": account]),
            ("token.list", ["account": account]),
            ("token.acquire", ["scopes": ["tasks.read"], "prompt": "none"]),
            ("token.acquire", ["scopes": ["tasks.read"], "prompt": "none", "account": account]),
            ("session.signOut", ["account": account]), ("session.signOut", ["all": true]),
        ])
        for (answer, name) in zip(answers, ["accounts", "tokens", "flows", "events"]) {
            #expect(answer["result"]?[name] == [], "\(answer.text)")
        }
        for answer in answers.dropFirst(4) {
            for secret in [person.email, person.name, "eyJ"] {
                #expect(!answer.text.contains(secret), "\(answer.text)")
            }
        }
        for answer in answers[4..<9] { #expect(answer["result"]?["token"] == nil, "\(answer.text)") }
        #expect(try owner.call("account.list")["accounts"]?.array?.count == 1)
        #expect(try person.token(owner)["account"] == account)
    }

    @Test("another user cannot see, use or remove the first user's own external authority")
    func authorities() throws {
        let mine: JSONValue = ["name": "mine", "preset": "github", "clientId": "the-first's"]
        _ = try owner.call("authority.add", mine)
        let answers = try ask([
            ("authority.list", [:]), ("token.acquire", ["policy": "mine", "scopes": []]),
            ("flow.start", ["policy": "mine", "requestId": "r"]), ("authority.remove", ["name": "mine"]),
        ])
        #expect(answers[0]["result"]?["authorities"] == [], "\(answers[0].text)")
        #expect(answers.dropFirst().map { $0["error"]?["code"]?.int } == [1010, 1010, 1023])
        // The other user can add a separate authority with the same name.
        let theirs: JSONValue = ["name": "mine", "preset": "github", "clientId": "the-other's"]
        #expect(try ask([("authority.add", theirs)])[0]["result"]?["authority"]?["own"]?.bool == true)
        let listed = try owner.call("authority.list")["authorities"]?.array ?? []
        #expect(listed.map { $0["clientId"]?.string } == ["the-first's"])
    }

    @Test("another user is refused operator methods, and the audit records it") func operators() throws {
        let methods = ["user.list", "audit.all", "keys.list", "keys.rotate", "client.list"]
        let answers = try ask(methods.map { ($0, [:]) })
        for (method, answer) in zip(methods, answers) {
            #expect(answer["error"]?["code"]?.int == 1018, "\(method): \(answer.text)")
        }
        let events = try owner.call("audit.all", ["limit": 100])["events"]?.array ?? []
        let refused = events.filter { $0["event"]?.string == "operator.refused" }
        #expect(refused.count == methods.count)
        #expect(refused.allSatisfy { $0["uid"]?.int == Int64(OtherUser.uid) })
    }

    @Test(
        "a PIN is accepted only from the uid that set it; another uid of the same user has none until it sets one"
    )
    func pins() throws {
        func their(_ method: String, _ params: JSONValue = [:]) throws -> JSONValue {
            try #require(try ask([(method, params)])[0]["result"])
        }
        func login(_ pin: String) -> JSONValue { ["check": "PinCodeAttempts", "credentials": ["pin": .string(pin)]] }
        let logout: JSONValue = ["check": "PinCodeAttempts"]
        let password: JSONValue = ["password": .string(person.password)]
        let asked = try #require(try owner.call("credential.enrol", ["type": "pin"])["flow"])
        let setup = try #require(try owner.submit(asked, password)["flow"])
        #expect(try owner.submit(setup, ["pin": "2468"])["verdict"] == "accepted")

        let start = try their("flow.start", ["policy": "b2c_1_sign_in", "requestId": "r"])
        let answers: JSONValue = ["username": .string(person.email), "password": .string(person.password)]
        let signedIn = try their("flow.submit", Connection.submission(try #require(start["flow"]), answers))
        #expect(signedIn["verdict"] == "accepted", "\(signedIn)")
        #expect(try their("credential.list")["credentials"] == [])
        // The other uid has no PIN yet, so the submitted PIN is not compared with any PIN.
        let begun = try #require(try their("check.login", login("2468"))["flow"])
        #expect(begun["state"] == "challenge" && begun["step"]?["type"] == "password", "\(begun)")
        let theirSetup = try their("flow.submit", Connection.submission(begun, password))["flow"]
        #expect(theirSetup?["step"]?["type"] == "pin_setup", "\(theirSetup ?? .null)")
        let set = try their("flow.submit", Connection.submission(try #require(theirSetup), ["pin": "1357"]))
        #expect(set["verdict"] == "accepted", "\(set)")
        _ = try their("check.logout", logout)
        let wrong = try their("check.login", login("2468"))["flow"]
        #expect(wrong?["step"]?["attempts"]?["remaining"] == 2, "\(wrong ?? .null)")
        #expect(try their("check.login", login("1357"))["flow"]?["state"] == "succeeded")
        _ = try owner.call("check.logout", logout)
        let other = try owner.call("check.login", login("1357"))["flow"]
        #expect(other?["step"]?["attempts"]?["remaining"] == 2, "\(other ?? .null)")
        #expect(try owner.call("check.login", login("2468"))["flow"]?["state"] == "succeeded")
    }

    /// A Python script that locks the user's cache, sends wrong passphrases on many connections, and reads the
    /// responses after it gets a line on stdin.
    private static let storm = """
        import json, socket, sys

        def connected():
            peer = socket.socket(socket.AF_UNIX)
            peer.settimeout(60)
            peer.connect(sys.argv[1])
            return peer

        def send(peer, method, passphrase):
            params = {"passphrase": passphrase}
            peer.sendall(json.dumps({"jsonrpc": "2.0", "id": 1, "method": method, "params": params}).encode() + b"\\n")

        def answer(peer):
            return json.loads(peer.makefile().readline())

        first = connected()
        send(first, "broker.lock", "the right one")
        assert "result" in answer(first)
        peers = [connected() for _ in range(24)]
        for number, peer in enumerate(peers):
            send(peer, "broker.unlock", "a wrong one %d" % number)
        print("sent", flush=True)
        sys.stdin.readline()
        print(json.dumps([answer(peer)["error"]["code"] for peer in peers]), flush=True)
        send(first, "broker.unlock", "the right one")
        print(answer(first)["error"]["code"], flush=True)
        """

    @Test("of many wrong passphrases of another user five are tried, and others get their cached tokens meanwhile")
    func storm() throws {
        let storm = try BuiltProgram(path: "/usr/bin/env").start(
            ["python3", "-c", OtherUser.script(Self.storm), machine.socket],
            environment: ["PATH": "/usr/bin:/bin:/usr/local/bin"]
        )
        try blockUntil("the wrong passphrases have been sent") { storm.output() == "sent\n" }
        for _ in 0..<50 { #expect(try person.token(owner)["fromCache"]?.bool == true) }
        storm.input.write(Data("\n".utf8))
        try storm.input.close()
        #expect(storm.wait() == 0, "\(storm.errors())")
        let lines = storm.output().split(separator: "\n").dropFirst()
        let codes = try StrictJSON.parse(Array(try #require(lines.first).utf8)).array?.compactMap(\.int) ?? []
        #expect(codes.count == 24 && codes.allSatisfy { [1006, 1007, 1013].contains($0) }, "\(codes)")
        #expect((1...5).contains(codes.count(where: { $0 == 1006 })), "\(codes)")
        // After the wrong passphrases, the right passphrase is refused for a while, too.
        #expect([1007, 1013].contains(lines.last.flatMap { Int64($0) } ?? 0), "\(lines)")
    }

    @Test("five thousand idle connections of one uid are refused beyond its limit, and other uids are served")
    func idleConnections() throws {
        var files = rlimit()
        getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &files)
        files.rlim_cur = min(files.rlim_max, 16_384)
        setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &files)
        var idle: [LineSocket] = []
        for _ in 0..<5000 { idle.append(try LineSocket(machine.socket)) }
        let last = try #require(idle.last)
        #expect(try StrictJSON.parse(Array(last.receive().utf8))["error"]?["code"]?.int == 1013)
        #expect(last.isClosed())
        #expect(try person.token(owner)["account"] == account)
        let answers = try ask([("policy.list", [:]), ("account.list", [:])])
        #expect(answers[0]["result"]?["policies"]?.array?.isEmpty == false, "\(answers[0].text)")
        #expect(answers[1]["result"]?["accounts"] == [], "\(answers[1].text)")
    }

    @Test("a user who creates many accounts is told to wait, and another user's password is still verified")
    func evaluations() throws {
        let machine = try Machine(
            configuration: ["limits: {mailsPerUid: 1000, mailsPerUidPerDay: 1000}"],
            isService: true
        )
        let daemon = try machine.startBroker()
        try machine.openToOthers()
        let first = try machine.connect()
        try person.signUp(first, on: machine)
        var refused: Connection.Refused?
        for _ in 0..<100 where refused == nil {
            do {
                let flow = try Person.random().beginSignUp(first)
                _ = try first.call("flow.cancel", ["flow": flow["id"] ?? .null])
            } catch let error as Connection.Refused {
                refused = error
            }
        }
        #expect(refused?.code == 1013)
        #expect(refused?.data["limit"]?.string == "evaluations")
        let started = try ask([("flow.start", ["policy": "b2c_1_sign_in", "requestId": "other"])], on: machine)[0]
        let flow = try #require(started["result"]?["flow"], "\(started.text)")
        let answers: JSONValue = ["username": .string(person.email), "password": .string(person.password)]
        let answer = try ask([("flow.submit", Connection.submission(flow, answers))], on: machine)[0]
        #expect(answer["result"]?["verdict"]?.string == "accepted", "\(answer.text)")
        daemon.signal(SIGTERM)
        #expect(daemon.wait() == 0)
    }

    @Test("membership in a configured supplementary group makes a user an operator") func groups() async throws {
        let machine = try Machine(configuration: ["operators: {groups: [\"54322\"]}"], isService: true)
        let daemon = try machine.startBroker()
        try machine.openToOthers()
        for (groups, code) in [([54_322, 7], nil as Int64?), ([7], 1018)] {
            let call = #"{"jsonrpc":"2.0","id":1,"method":"user.list"}"# + "\n"
            let output = try OtherUser.run(Self.relay, [machine.socket], groups: groups, input: call)
            let answer = try StrictJSON.parse(Array(output.utf8.dropLast()))
            #expect(answer["error"]?["code"]?.int == code, "\(answer.text)")
        }
        daemon.signal(SIGTERM)
        #expect(daemon.wait() == 0)
    }
}
