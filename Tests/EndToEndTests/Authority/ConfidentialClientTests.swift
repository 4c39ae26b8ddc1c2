import Foundation
import OAuth
import TestSupport
import Testing

/// Tests of confidential clients at the socket, where callers present no client secret.
@Suite(.timeLimit(.minutes(5)))
struct ConfidentialClientTests {
    /// A Python script that copies lines from standard input to the socket, and the responses to standard output.
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

    private static let group = 54_322

    private let machine: Machine
    private let daemon: RunningProgram
    private let owner: Connection
    private let person = Person.random()

    /// Starts a daemon with four confidential clients.
    ///
    /// Three clients allow a group, the other user's primary group, and the other user's uid. The fourth client allows
    /// no local caller.
    init() throws {
        try requireRoot("becomes another user")
        machine = try Machine(
            configuration: [
                "clients:",
                "  grouped: {type: confidential, firstParty: true, secretFile: c.secret, apis: [tasks], "
                    + "allow: {groups: [\"\(Self.group)\"]}}",
                "  primary: {type: confidential, firstParty: true, secretFile: c.secret, apis: [tasks], "
                    + "allow: {groups: [\"\(OtherUser.uid)\"]}}",
                "  named: {type: confidential, firstParty: true, secretFile: c.secret, apis: [tasks], "
                    + "allow: {uids: [\(OtherUser.uid)]}}",
                "  closed: {type: confidential, firstParty: true, secretFile: c.secret, apis: [tasks]}",
            ],
            isService: true
        )
        try machine.write(["Zs2mV9QpXr7LkT4nBw8HcYf3"], to: "etc/c.secret")
        try FileManager.default.setAttributes(
            [.posixPermissions: 0o600],
            ofItemAtPath: machine.folder.path("etc/c.secret")
        )
        daemon = try machine.startBroker()
        try machine.openToOthers()
        owner = try machine.connect()
        try person.signUp(owner, on: machine)
    }

    private typealias Calls = [(method: String, params: JSONValue)]

    /// Returns the responses to calls by the other user, in the order of the calls.
    ///
    /// Each call uses a separate connection.
    private func ask(_ calls: Calls, groups: [Int] = []) throws -> [JSONValue] {
        try calls.enumerated().map { index, call in
            let request: JSONValue = [
                "jsonrpc": "2.0", "id": .int(Int64(index)), "method": .string(call.method), "params": call.params,
            ]
            return try answer([request], groups: groups)[0]
        }
    }

    private func answer(_ requests: [JSONValue], groups: [Int]) throws -> [JSONValue] {
        let output = try OtherUser.run(
            Self.relay,
            [machine.socket],
            groups: groups,
            input: requests.map { $0.text + "\n" }.joined()
        )
        return try output.split(separator: "\n").map { try StrictJSON.parse(Array($0.utf8)) }
    }

    private func acquire(_ client: String) -> JSONValue {
        ["client": .string(client), "policy": "b2c_1_sign_in", "scopes": ["tasks.read"], "prompt": "none"]
    }

    private func hello(_ client: String) -> JSONValue {
        ["protocol": [1], "client": ["id": .string(client)]]
    }

    @Test("a caller that a confidential client does not allow gets 1022 wherever it names the client")
    func refused() throws {
        for client in ["grouped", "closed"] {
            for call in [("token.acquire", acquire(client)), ("broker.hello", hello(client))] as Calls {
                let error = try ask([call])[0]["error"]
                #expect(error?["code"]?.int == 1022, "\(call.method): \(error?.text ?? "none")")
                #expect(error?["message"]?.string?.contains("clients.\(client).allow") == true)
            }
            #expect(try owner.refusal("token.acquire", acquire(client)).code == 1022)
            #expect(try owner.refusal("broker.hello", hello(client)).code == 1022)
        }
        #expect(daemon.errors().contains("a confidential client was refused at the socket"))
    }

    @Test("a uid, a primary group or a supplementary group in `allow` may use the client")
    func allowed() throws {
        let opened: [(client: String, groups: [Int])] = [
            ("named", []), ("primary", []), ("grouped", [7, Self.group]),
        ]
        for (client, groups) in opened {
            let answers = try ask(
                [("broker.hello", hello(client)), ("token.acquire", acquire(client))],
                groups: groups
            )
            #expect(answers[0]["result"] != nil, "\(client): \(answers[0].text)")
            // No user has signed in with this uid.
            #expect(answers[1]["error"]?["code"]?.int == 1001, "\(client): \(answers[1].text)")
        }
    }

    @Test("a cached token of a confidential client goes only to processes of its uid that may use the client")
    func cached() throws {
        let password: JSONValue = ["username": .string(person.email), "password": .string(person.password)]
        var asked = acquire("grouped").object ?? [:]
        asked["prompt"] = nil
        let acquired = try ask([("token.acquire", .object(asked))], groups: [Self.group])[0]
        let flow = try #require(acquired["result"]?["flow"], "\(acquired.text)")
        let submission = Connection.submission(flow, password)
        let done = try ask([("flow.submit", submission)], groups: [Self.group])[0]
        #expect(done["result"]?["token"] != nil, "\(done.text)")
        // The request is repeated, because the daemon caches the response line of a cached token.
        for _ in 0..<2 {
            let again = try ask([("token.acquire", acquire("grouped"))], groups: [Self.group])[0]
            #expect(again["result"]?["token"]?["fromCache"]?.bool == true, "\(again.text)")
            let without = try ask([("token.acquire", acquire("grouped"))])[0]
            #expect(without["error"]?["code"]?.int == 1022, "\(without.text)")
        }
    }

    @Test("a flow of a confidential client gives no token to another process of the uid that may not use the client")
    func flow() throws {
        let password: JSONValue = ["username": .string(person.email), "password": .string(person.password)]
        var asked = acquire("grouped").object ?? [:]
        asked["prompt"] = nil
        let acquired = try ask([("token.acquire", .object(asked))], groups: [Self.group])[0]
        let flow = try #require(acquired["result"]?["flow"], "\(acquired.text)")
        let ended = try ask([("flow.submit", Connection.submission(flow, password))])[0]
        #expect(ended["error"]?["code"]?.int == 1022, "\(ended.text)")
        #expect(ended["result"] == nil)
        let afterwards = try ask([("token.acquire", acquire("grouped"))], groups: [Self.group])[0]
        #expect(afterwards["result"]?["token"] != nil, "\(afterwards.text)")
    }

    @Test("a reload that restricts a client also applies to connections that named it before, for every method")
    func reload() throws {
        let path = machine.configuration
        let open = try String(contentsOfFile: path, encoding: .utf8)
            .replacing("uids: [\(OtherUser.uid)]", with: "uids: [\(OtherUser.uid), 0]")
        func reload(_ text: String) throws {
            try text.write(toFile: path, atomically: true, encoding: .utf8)
            let before = daemon.errors().components(separatedBy: "configuration reloaded").count
            daemon.signal(SIGHUP)
            try blockUntil("the daemon has reloaded") {
                daemon.errors().components(separatedBy: "configuration reloaded").count > before
            }
        }
        try reload(open)
        let connection = try machine.connect()
        _ = try connection.call("broker.hello", hello("named"))
        _ = try connection.call("account.list")
        try reload(open.replacing("uids: [\(OtherUser.uid), 0]", with: "uids: [\(OtherUser.uid)]"))
        let calls: Calls = [
            ("broker.hello", hello("named")), ("broker.status", [:]), ("policy.list", [:]), ("account.list", [:]),
            ("token.acquire", ["scopes": ["tasks.read"], "prompt": "none"]), ("token.list", [:]),
            ("token.subscribe", [:]), ("flow.start", ["policy": "b2c_1_sign_in", "requestId": "r"]),
            ("flow.list", [:]), ("check.status", ["check": "PinCodeAttempts"]), ("credential.list", [:]),
            ("credential.enrol", ["type": "pin"]), ("store.key", ["account": "a", "purpose": "p"]),
            (
                "account.import",
                ["name": "x", "url": "https://issuer.example", "clientId": "c", "refreshToken": "r"]
            ),
            ("authority.add", ["name": "x", "url": "https://issuer.example", "clientId": "c"]),
            ("session.signOut", ["all": true]), ("audit.query", [:]),
        ]
        for (method, params) in calls {
            let refusal = try connection.refusal(method, params)
            #expect(refusal.code == 1022, "\(method): \(refusal.code) \(refusal.message)")
        }
        // After the connection names an allowed client, its calls are accepted again.
        _ = try connection.call("broker.hello", hello("tokenbroker-cli"))
        _ = try connection.call("account.list")
    }
}
