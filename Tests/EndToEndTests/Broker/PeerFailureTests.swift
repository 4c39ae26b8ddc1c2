import Foundation
import Glibc
import OAuth
import TestSupport
import Testing

/// Events that stop or kill other brokers of this kind, tried on ours: docs/reliability.md says how it ends for them.
@Suite(.timeLimit(.minutes(5)))
struct PeerFailureTests {
    private let machine: Machine
    private let daemon: RunningProgram
    private let person = Person.random()
    private let connection: Connection

    init() throws {
        // Idle connections are counted by the thousand below, here and in the daemon, which inherits the limit.
        var files = rlimit()
        getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &files)
        files.rlim_cur = min(files.rlim_max, 16_384)
        setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &files)
        machine = try Machine(configuration: [
            "limits: {connectionsPerUid: 4096, flowsPerUid: 16, kdfJobs: 1, kdfQueue: 64}"
        ])
        daemon = try machine.startBroker()
        connection = try machine.connect()
        try person.signUp(connection, on: machine)
        _ = try person.token(connection)
    }

    /// Another program's cached token, as often as `times`.
    private func expectCachedTokens(_ times: Int) throws {
        for _ in 0..<times { #expect(try person.token(connection)["fromCache"]?.bool == true) }
    }

    @Test("a client that stops in the middle of a line delays nobody") func stalledClient() throws {
        let stalled = try LineSocket(machine.socket)
        try stalled.send(bytes: Array(#"{"jsonrpc":"2.0","id":1,"met"#.utf8))
        try expectCachedTokens(20)
        // It was still there all the time: the others were answered before it was closed, not because it was.
        #expect(stalled.isSilent)
        // It is closed when its line has taken too long.
        #expect(stalled.isClosed())
        try expectCachedTokens(1)
    }

    @Test("passwords that are being hashed for others delay no cached token") func slowCalls() throws {
        // They are hashed one after the other.
        let busy = try (0..<12).map { _ in try machine.connect() }
        for other in busy {
            let flow = try #require(try other.call("flow.start", start("b2c_1_sign_in"))["flow"])
            let answers: JSONValue = ["username": .string(Person.random().email), "password": "Wrong-horse-7"]
            let request: JSONValue = [
                "jsonrpc": "2.0", "id": 99, "method": "flow.submit", "params": Connection.submission(flow, answers),
            ]
            try other.socket.send(request.text)
        }
        try expectCachedTokens(1)
        // The token did not have to wait for those who asked before it.
        #expect(busy.contains { $0.socket.isSilent })
        try expectCachedTokens(100)
        for other in busy { #expect(try other.socket.receive().contains("\"id\":99")) }
    }

    @Test("more idle connections than there may be are refused in words and kill nothing") func idleConnections() throws
    {
        var idle: [LineSocket] = []
        for _ in 0..<5000 { idle.append(try LineSocket(machine.socket)) }
        let last = try #require(idle.last)
        #expect(try StrictJSON.parse(Array(last.receive().utf8))["error"]?["code"]?.int == 1013)
        #expect(last.isClosed())
        try expectCachedTokens(100)
        idle.removeAll()
        // Whoever comes when they have gone is let in.
        try expectCachedTokens(1)
        try blockUntil("somebody is let in") { (try? machine.connect().call("broker.status")) != nil }
    }

    @Test("twenty thousand connections that come and go leave no descriptor behind and delay nobody")
    func manyConnections() throws {
        func descriptors() throws -> Int {
            try FileManager.default.contentsOfDirectory(atPath: "/proc/\(daemon.pid)/fd").count
        }
        // What is opened at the first use is open by now, also by who empties the logs.
        for store in ["authority", "cache"] {
            let log = machine.state + "/\(store).sqlite-wal"
            try blockUntil("the log of the \(store) is empty") {
                try FileManager.default.attributesOfItem(atPath: log)[.size] as? Int == 0
            }
        }
        for _ in 0..<100 { _ = try LineSocket(machine.socket) }
        _ = try machine.connect().call("broker.status")
        try expectCachedTokens(1)
        // Those that have gone are closed at the daemon's leisure; so the fewest of several looks are what it needs.
        let before = try (0..<1000).map { _ in try descriptors() }.min() ?? 0
        // More than the daemon may have descriptors.
        for _ in 0..<20 {
            try LineSocket.connectAndLeave(machine.socket, times: 1000)
            try expectCachedTokens(1)
        }
        // A store opens another connection of its own where several read at once; of the clients' nothing may stay.
        let most = before + 8
        try blockUntil("no more than \(most) descriptors are open") { try descriptors() <= most }
        #expect(try machine.connect().call("policy.list")["policies"]?.array?.isEmpty == false)
    }

    @Test("of sixty wrong passwords in a row a few are tried, and the others of the uid do not wait") func guesses()
        throws
    {
        let guesser = try machine.connect()
        var tried = 0
        for guess in 0..<60 {
            let answers: JSONValue = ["username": .string(person.email), "password": "Wrong-horse-\(guess)"]
            do {
                let flow = try #require(try guesser.call("flow.start", start("b2c_1_sign_in"))["flow"])
                let answer = try guesser.submit(flow, answers)
                #expect(answer["verdict"]?.string == "rejected")
                tried += 1
                _ = try? guesser.call("flow.cancel", ["flow": flow["id"] ?? .null])
            } catch let refused as Connection.Refused {
                #expect([1007, 1013].contains(refused.code), "\(refused.code) \(refused.message)")
                #expect((refused.retryAfterMs ?? 0) > 0 || refused.code == 1013)
                _ = try guesser.call("flow.list")["flows"]?.array?.map {
                    try guesser.call("flow.cancel", ["flow": $0["id"] ?? .null])
                }
            }
            try expectCachedTokens(1)
        }
        // Three, and one more for every block that ends meanwhile; a block doubles each time.
        #expect((3..<10).contains(tried))
    }

    private func start(_ policy: String) -> JSONValue {
        ["policy": .string(policy), "requestId": .string("r-\(UInt64.random(in: 0 ... .max))")]
    }
}
