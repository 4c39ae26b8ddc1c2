import Foundation
import GRDB
import OAuth
import TestSupport
import Testing

/// Tests of a locked database, a damaged log, a deleted socket folder, and calls during a shutdown.
@Suite(.timeLimit(.minutes(5)))
struct BadDayTests {
    private let machine: Machine
    private let person = Person.random()

    init() throws {
        machine = try Machine()
    }

    private func stop(_ daemon: RunningProgram) {
        daemon.signal(SIGTERM)
        #expect(daemon.wait() == 0, "\(daemon.errors())")
    }

    private func end(_ daemon: RunningProgram) {
        daemon.signal(SIGKILL)
        daemon.wait()
    }

    /// A database of the daemon.
    enum Store: String, CaseIterable {
        case authority
        case cache
    }

    @Test(
        "while another process locks a database, a write is told to retry and all other calls are served",
        arguments: Store.allCases
    )
    func locked(_ store: Store) throws {
        let daemon = try machine.startBroker()
        let connection = try machine.connect()
        try person.signUp(connection, on: machine)
        let token = try person.token(connection)
        let waiting = try machine.connect()
        let request: JSONValue =
            switch store {
            case .authority:
                [
                    "jsonrpc": "2.0", "id": 7, "method": "flow.start",
                    "params": ["policy": "b2c_1_sign_in", "requestId": "meanwhile"],
                ]
            case .cache:
                [
                    "jsonrpc": "2.0", "id": 7, "method": "token.acquire",
                    "params": ["scopes": ["tasks.read", "tasks.write"], "prompt": "none", "forceRefresh": true],
                ]
            }
        let holder = try DatabaseQueue(path: machine.state + "/\(store.rawValue).sqlite")
        try holder.inTransaction(.immediate) { _ in
            try waiting.socket.send(request.text)
            for _ in 0..<100 {
                #expect(try person.token(connection)["accessToken"] == token["accessToken"])
            }
            #expect(try machine.connect().call("policy.list")["policies"]?.array?.isEmpty == false)
            let error = try #require(StrictJSON.parse(Array(waiting.socket.receive().utf8))["error"])
            #expect(error["code"]?.int == 1013, "\(error.text)")
            #expect((error["data"]?["retryAfterMs"]?.int ?? 0) > 0, "\(error.text)")
            return .rollback
        }
        try holder.close()
        try waiting.socket.send(request.text)
        let answer = try StrictJSON.parse(Array(waiting.socket.receive().utf8))
        #expect(answer["error"] == nil, "\(answer.text)")
        #expect(try person.signIn(connection) == "accepted")
        stop(daemon)
    }

    @Test("half a transaction at the end of a log is skipped, and nothing before it is lost") func tornLog() throws {
        let daemon = try machine.startBroker()
        let connection = try machine.connect()
        try person.signUp(connection, on: machine)
        let account = try #require(person.token(connection)["account"])
        end(daemon)
        for store in Store.allCases {
            let log = try FileHandle(forWritingTo: URL(fileURLWithPath: logPath(store)))
            try log.seekToEnd()
            try log.write(contentsOf: Data(repeating: 0x5A, count: 3000))
            try log.close()
        }
        let next = try machine.startBroker()
        let again = try machine.connect()
        #expect(try person.token(again, ["account": account])["username"]?.string == person.email)
        #expect(try person.signIn(again) == "accepted")
        stop(next)
        try expectSound()
    }

    /// Signs up two users and kills the daemon.
    ///
    /// The data of the second user is only in the write-ahead logs of the databases.
    private func killed(_ other: Person) throws {
        let first = try machine.startBroker()
        try person.signUp(machine.connect(), on: machine)
        // After a clean shutdown, the databases are complete without their logs.
        stop(first)
        let second = try machine.startBroker()
        try other.signUp(machine.connect(), on: machine)
        end(second)
    }

    /// Inverts the bytes of a log in the ranges `places`.
    private func damage(_ path: String, _ places: [Range<Int>]) throws {
        var log = try bytes(path)
        for index in places.joined() { log[index] ^= 0xFF }
        try put(log, path)
    }

    private func bytes(_ path: String) throws -> Data { try Data(contentsOf: URL(fileURLWithPath: path)) }

    private func put(_ bytes: Data, _ path: String) throws {
        let file = try FileHandle(forWritingTo: URL(fileURLWithPath: path))
        try file.write(contentsOf: bytes)
        try file.close()
    }

    /// Returns one range within each page of a write-ahead log, except for the last two pages.
    private func pages(_ path: String) throws -> [Range<Int>] {
        let count = (try bytes(path).count - 32) / 4120
        try #require(count > 4)
        return (0..<count - 2).map { 32 + $0 * 4120 + 24 + 1000..<32 + $0 * 4120 + 24 + 1512 }
    }

    /// Expects `accounts` cached accounts with valid tokens, and signs all users in.
    private func expectEverybody(_ people: [Person], accounts: Int) throws {
        let connection = try machine.connect()
        let found = try connection.call("account.list")["accounts"]?.array ?? []
        #expect(found.count == accounts)
        for account in found {
            _ = try person.token(connection, ["account": account["account"] ?? .null])
        }
        for person in people { #expect(try person.signIn(connection) == "accepted") }
        try Person.random().signUp(connection, on: machine)
    }

    /// A part of a write-ahead log where damage loses acknowledged changes.
    enum Place: CaseIterable {
        case header
        case middle
    }

    @Test(
        "a damaged log ends the start with 78 and advice; after it is accepted no user is signed in or regains attempts",
        arguments: Store.allCases,
        Place.allCases
    )
    func damaged(_ store: Store, _ place: Place) throws {
        let other = Person.random()
        try killed(other)
        let path = logPath(store)
        let pages = try pages(path)
        switch place {
        case .header: try damage(path, [0..<32])
        case .middle: try damage(path, [pages[pages.count / 2]])
        }
        let (log, database) = (try bytes(path), try bytes("\(machine.state)/\(store.rawValue).sqlite"))
        let ended = try machine.runBroker()
        #expect(ended.status == 78, "\(ended.status) \(ended.errors)")
        #expect(ended.errors.contains("\(path) is damaged"), "\(ended.errors)")
        #expect(ended.errors.contains("tokenbrokerd --accept-damage"), "\(ended.errors)")
        #expect(try bytes(path) == log && bytes("\(machine.state)/\(store.rawValue).sqlite") == database)

        let accepted = try machine.runBroker(["--accept-damage"])
        #expect(accepted.status == 0, "\(accepted.errors)")
        #expect(accepted.output.contains("authority.sqlite.before-restore"), "\(accepted.output)")
        let aside = machine.state + "/authority.sqlite.before-restore-wal"
        if store == .authority { #expect(try bytes(aside) == log) }
        let daemon = try machine.startBroker()
        let connection = try machine.connect()
        #expect(try connection.call("account.list")["accounts"]?.array?.isEmpty == true)
        #expect(try connection.refusal("token.acquire", ["scopes": ["tasks.read"], "prompt": "none"]).code == 1001)
        // The lost part of the log may have recorded wrong passwords, so every user is blocked at first.
        let refused = #expect(throws: Connection.Refused.self) { try person.signIn(connection) }
        #expect(refused?.reason == "blocked")
        stop(daemon)
        try expectSound()
        let again = try machine.runBroker(["--accept-damage"])
        #expect(again.status == 1 && again.errors.contains("No write-ahead log"), "\(again.status) \(again.errors)")
    }

    @Test("`--accept-damage` is refused while the daemon runs") func acceptedWhileRunning() throws {
        let daemon = try machine.startBroker()
        let outcome = try machine.runBroker(["--accept-damage"])
        #expect(outcome.status == 75 && outcome.errors.contains("Process \(daemon.pid)"), "\(outcome.errors)")
        stop(daemon)
    }

    @Test("tasksd does not start with a damaged log, and names the page with advice") func damagedTasks() throws {
        let first = try machine.startTasks()
        end(first)
        let path = machine.folder.path("tasksd/tasks.sqlite-wal")
        try damage(path, try pages(path))
        let log = try bytes(path)
        let outcome = try machine.runTasks()
        #expect(outcome.status == 78, "\(outcome.status) \(outcome.errors)")
        #expect(outcome.errors.contains("tasksd: error: \(path) is damaged"), "\(outcome.errors)")
        #expect(outcome.errors.contains("docs/operations.md"), "\(outcome.errors)")
        #expect(try bytes(path) == log)
    }

    @Test("the logs are empty soon after the last change") func settled() throws {
        let daemon = try machine.startBroker()
        try person.signUp(machine.connect(), on: machine)
        for store in Store.allCases {
            try blockUntil("the log of the \(store) is empty") {
                try FileManager.default.attributesOfItem(atPath: logPath(store))[.size] as? Int == 0
            }
        }
        end(daemon)
        let next = try machine.startBroker()
        try expectEverybody([person], accounts: 1)
        stop(next)
    }

    private func logPath(_ store: Store) -> String { machine.state + "/\(store.rawValue).sqlite-wal" }

    private func expectSound() throws {
        for store in Store.allCases {
            let database = try DatabaseQueue(path: machine.state + "/\(store.rawValue).sqlite")
            let words = try database.read { try String.fetchAll($0, sql: "PRAGMA integrity_check") }
            #expect(words == ["ok"], "\(store)")
            try database.close()
        }
    }

    @Test(
        "when the socket folder is deleted, open connections are served and the sockets are created again",
        arguments: [true, false]
    )
    func cleanedRun(_ withFolder: Bool) throws {
        let daemon = try machine.startBroker()
        let connection = try machine.connect()
        try person.signUp(connection, on: machine)
        let token = try person.token(connection)
        let run = machine.folder.path("run")
        let authority = run + "/authority.sock"
        if withFolder {
            try FileManager.default.removeItem(atPath: run)
        } else {
            for name in try FileManager.default.contentsOfDirectory(atPath: run) {
                try FileManager.default.removeItem(atPath: "\(run)/\(name)")
            }
        }
        #expect(try person.token(connection)["accessToken"] == token["accessToken"])
        var again: Connection?
        try blockUntil("the sockets exist again") {
            again = try? machine.connect()
            return again != nil && FileManager.default.fileExists(atPath: authority)
        }
        #expect(try again.map { try person.token($0)["accessToken"] } == token["accessToken"])
        #expect(try person.signIn(connection) == "accepted")
        let outcome = try machine.tokenbroker(["status"])
        #expect(outcome.status == 0, "\(outcome.status) \(outcome.errors)")
        #expect(try LineSocket(authority).isClosed(within: 0) == false)
        stop(daemon)
        #expect(daemon.errors().contains("sockets recreated"), "\(daemon.errors())")
        #expect(!FileManager.default.fileExists(atPath: machine.socket))
        #expect(!FileManager.default.fileExists(atPath: authority))
    }

    @Test("a sign-up and a sign-in that are acknowledged during shutdown are stored")
    func ending() throws {
        let daemon = try machine.startBroker()
        let connection = try machine.connect()
        try person.signUp(connection, on: machine)
        let (joining, returning) = (try machine.connect(), try machine.connect())
        let other = Person.random()
        let signUp = try other.beginSignUp(joining)
        let code = try machine.code(for: other.email)
        let started = try returning.call("flow.start", ["policy": "b2c_1_sign_in", "requestId": "last"])
        let signIn = try #require(started["flow"])
        let answers: JSONValue = ["username": .string(person.email), "password": .string(person.password)]
        for (line, flow, answers) in [
            (joining, signUp, ["code": .string(code)] as JSONValue), (returning, signIn, answers),
        ] {
            let request: JSONValue = [
                "jsonrpc": "2.0", "id": 7, "method": "flow.submit", "params": Connection.submission(flow, answers),
            ]
            try line.socket.send(request.text)
        }
        daemon.signal(SIGTERM)
        // A response may be missing, but a change that a response acknowledges must be stored.
        let verdicts = [joining, returning].map { line in
            let answer = try? StrictJSON.parse(Array(line.socket.receive().utf8))
            return answer?["result"]?["verdict"]?.string
        }
        #expect(daemon.wait() == 0, "\(daemon.errors())")

        let next = try machine.startBroker()
        let again = try machine.connect()
        #expect(try person.signIn(again) == "accepted")
        let names = try again.call("account.list")["accounts"]?.array?.compactMap { $0["username"]?.string } ?? []
        #expect(names.contains(person.email))
        if verdicts[0] == "accepted" {
            #expect(names.contains(other.email))
            #expect(try other.signIn(again) == "accepted")
        }
        stop(next)
    }
}
