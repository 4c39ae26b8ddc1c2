import Foundation
import Glibc
import OAuth
import TestSupport
import Testing

/// End-to-end tests of events that stop or crash comparable programs.
///
/// The page docs/reliability.md compares these programs with the daemon.
@Suite(.timeLimit(.minutes(5)))
struct PeerFailureTests {
    private let machine: Machine
    private let daemon: RunningProgram
    private let person = Person.random()
    private let connection: Connection

    init() throws {
        // A test opens thousands of connections. The daemon inherits the limit on open descriptors from this process.
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

    /// Expects that another client gets its cached token `times` times in a row.
    private func expectCachedTokens(_ times: Int) throws {
        for _ in 0..<times { #expect(try person.token(connection)["fromCache"]?.bool == true) }
    }

    @Test("a client that stops in the middle of a line delays no other client") func stalledClient() throws {
        let stalled = try LineSocket(machine.socket)
        try stalled.send(bytes: Array(#"{"jsonrpc":"2.0","id":1,"met"#.utf8))
        try expectCachedTokens(20)
        // The stalled connection is still open, so the other client was served without waiting for its end.
        #expect(stalled.isSilent)
        // The daemon closes the connection because the line takes too long.
        #expect(stalled.isClosed())
        try expectCachedTokens(1)
    }

    @Test("password hashing for others does not delay cached tokens") func slowCalls() throws {
        // The daemon hashes the passwords one after the other.
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
        // Some of the earlier requests have no response yet, so the cached token did not wait for them.
        #expect(busy.contains { $0.socket.isSilent })
        try expectCachedTokens(100)
        for other in busy { #expect(try other.socket.receive().contains("\"id\":99")) }
    }

    @Test("idle connections beyond the limit are refused with an error and do not stop the daemon")
    func idleConnections() throws {
        var idle: [LineSocket] = []
        for _ in 0..<5000 { idle.append(try LineSocket(machine.socket)) }
        let last = try #require(idle.last)
        #expect(try StrictJSON.parse(Array(last.receive().utf8))["error"]?["code"]?.int == 1013)
        #expect(last.isClosed())
        try expectCachedTokens(100)
        idle.removeAll()
        try expectCachedTokens(1)
        // After the idle connections have closed, the daemon accepts new connections.
        try blockUntil("some connections are accepted") { (try? machine.connect().call("broker.status")) != nil }
    }

    @Test("twenty thousand short connections leave no descriptor open and delay no caller")
    func manyConnections() throws {
        func descriptors() throws -> Int {
            try FileManager.default.contentsOfDirectory(atPath: "/proc/\(daemon.pid)/fd").count
        }
        // The daemon opens some files only when it first uses them. After a checkpoint of both stores, all of them are
        // open.
        for store in ["authority", "cache"] {
            let log = machine.state + "/\(store).sqlite-wal"
            try blockUntil("the log of the \(store) is empty") {
                try FileManager.default.attributesOfItem(atPath: log)[.size] as? Int == 0
            }
        }
        for _ in 0..<100 { _ = try LineSocket(machine.socket) }
        _ = try machine.connect().call("broker.status")
        try expectCachedTokens(1)
        // The daemon closes connections with some delay, so the lowest of several descriptor counts is the baseline.
        let before = try (0..<1000).map { _ in try descriptors() }.min() ?? 0
        // The daemon would reach its limit on open descriptors if these connections left descriptors open.
        for _ in 0..<20 {
            try LineSocket.connectAndLeave(machine.socket, times: 1000)
            try expectCachedTokens(1)
        }
        // The stores may open a few more descriptors for simultaneous reads, but no descriptor of a client may remain.
        let most = before + 8
        try blockUntil("no more than \(most) descriptors are open") { try descriptors() <= most }
        #expect(try machine.connect().call("policy.list")["policies"]?.array?.isEmpty == false)
    }

    @Test("of sixty wrong passwords in a row a few are tried, and other callers of the uid do not wait") func guesses()
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
        // The daemon tries three passwords before the first block, and one after each block that ends meanwhile. Each
        // block is twice as long as the one before.
        #expect((3..<10).contains(tried))
    }

    private func start(_ policy: String) -> JSONValue {
        ["policy": .string(policy), "requestId": .string("r-\(UInt64.random(in: 0 ... .max))")]
    }
}
