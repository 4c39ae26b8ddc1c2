import Foundation
import GRDB
import OAuth
import TestSupport
import Testing

/// What may happen to a machine at any time: others are served meanwhile, and nothing that was acknowledged is lost.
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

    /// What must wait for the disk: of the people, and of the tokens.
    enum Store: String, CaseIterable {
        case authority
        case cache
    }

    @Test(
        "while somebody else holds a database, who must write is told to try again and everybody else is served",
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

    @Test("half a transaction at the end of a log is passed over, and nothing before it is lost") func tornLog() throws
    {
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

    /// Two people whose sign-ups were acknowledged, the second one's in the logs alone, and a daemon that was killed.
    private func killed(_ other: Person) throws {
        let first = try machine.startBroker()
        try person.signUp(machine.connect(), on: machine)
        // In order, so the databases hold it without their logs.
        stop(first)
        let second = try machine.startBroker()
        try other.signUp(machine.connect(), on: machine)
        end(second)
    }

    /// Inverts bytes of a log.
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

    /// Each of a log's pages but the last two.
    private func pages(_ path: String) throws -> [Range<Int>] {
        let count = (try bytes(path).count - 32) / 4120
        try #require(count > 4)
        return (0..<count - 2).map { 32 + $0 * 4120 + 24 + 1000..<32 + $0 * 4120 + 24 + 1512 }
    }

    /// Signs them all in, and looks whether the accounts that were here are here.
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

    @Test("a log whose header is damaged is mended, and nothing is lost", arguments: Store.allCases)
    func damagedHeader(_ store: Store) throws {
        let other = Person.random()
        try killed(other)
        try damage(logPath(store), [0..<32])
        let daemon = try machine.startBroker()
        try expectEverybody([person, other], accounts: 2)
        stop(daemon)
        #expect(daemon.errors().contains("a damaged log was mended"), "\(daemon.errors())")
        let kept = try FileManager.default.contentsOfDirectory(atPath: machine.state)
        #expect(kept.contains { $0.hasPrefix("\(store.rawValue).sqlite-wal.damaged-") })
        try expectSound()
    }

    @Test(
        "a log that is damaged in its middle is mended or refused, and nobody is lost unheard",
        arguments: Store.allCases
    )
    func damagedMiddle(_ store: Store) throws {
        let other = Person.random()
        try killed(other)
        let path = logPath(store)
        let middle = try bytes(path).count / 2
        try damage(path, [middle..<middle + 512])
        let log = try bytes(path)
        do {
            let daemon = try machine.startBroker()
            try expectEverybody([person, other], accounts: 2)
            stop(daemon)
            #expect(daemon.errors().contains("a damaged log was mended"), "\(daemon.errors())")
            try expectSound()
        } catch is NotReady {
            #expect(try machine.runBroker().status == 78)
            #expect(try bytes(path) == log)
        }
    }

    @Test(
        "a log that is damaged beyond mending ends the start with what to do, and that works",
        arguments: Store.allCases
    )
    func lostChanges(_ store: Store) throws {
        let other = Person.random()
        try killed(other)
        let (path, file) = (logPath(store), "\(machine.state)/\(store.rawValue).sqlite")
        try damage(path, try pages(path))
        let (log, database) = (try bytes(path), try bytes(file))
        let outcome = try machine.runBroker()
        #expect(outcome.status == 78, "\(outcome.status) \(outcome.errors)")
        for part in ["\(path) is damaged", "acknowledged changes", "Restore a backup", "mv \(path) "] {
            #expect(outcome.errors.contains(part), "\(outcome.errors)")
        }
        #expect(try bytes(path) == log && bytes(file) == database)

        let words = try #require(outcome.errors.range(of: "mv ")).lowerBound
        let command = outcome.errors[words...].split(separator: "\n")[0]
        #expect(try BuiltProgram(path: "/bin/sh").run(["-c", String(command)]).status == 0)
        let daemon = try machine.startBroker()
        #expect(try person.signIn(machine.connect()) == "accepted")
        stop(daemon)
        try expectSound()
    }

    @Test("tasksd does not start over a log that is damaged beyond mending, and says what to do") func lostTasks()
        throws
    {
        let first = try machine.startTasks()
        end(first)
        let path = machine.folder.path("tasksd/tasks.sqlite-wal")
        try damage(path, try pages(path))
        let log = try bytes(path)
        let outcome = try machine.runTasks()
        #expect(outcome.status == 78, "\(outcome.status) \(outcome.errors)")
        #expect(outcome.errors.contains("tasksd: error: \(path) is damaged"), "\(outcome.errors)")
        #expect(outcome.errors.contains("mv \(path) "), "\(outcome.errors)")
        #expect(try bytes(path) == log)
    }

    @Test("soon after the last change the logs are empty") func settled() throws {
        let daemon = try machine.startBroker()
        try person.signUp(machine.connect(), on: machine)
        for store in Store.allCases {
            var size = 1
            while size > 0 {
                size = try FileManager.default.attributesOfItem(atPath: logPath(store))[.size] as? Int ?? 0
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
        "when the folder of the sockets is cleaned away, who is connected is served, and the sockets come again",
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
        while again == nil || !FileManager.default.fileExists(atPath: authority) { again = try? machine.connect() }
        #expect(try again.map { try person.token($0)["accessToken"] } == token["accessToken"])
        #expect(try person.signIn(connection) == "accepted")
        let outcome = try machine.tokenbroker(["status"])
        #expect(outcome.status == 0, "\(outcome.status) \(outcome.errors)")
        #expect(try LineSocket(authority).isClosed(within: 0) == false)
        stop(daemon)
        #expect(daemon.errors().contains("sockets made anew"), "\(daemon.errors())")
        #expect(!FileManager.default.fileExists(atPath: machine.socket))
        #expect(!FileManager.default.fileExists(atPath: authority))
    }

    @Test("a sign-up and a sign-in that are under way at the end are kept once they are acknowledged")
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
        // Whether an answer still comes is the daemon's; what it says holds.
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
