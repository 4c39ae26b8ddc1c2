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
        "while somebody else holds a database, who must write is refused in time and everybody else is served",
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
            #expect([1013, 1024].contains(error["code"]?.int ?? 0), "\(error.text)")
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

    @Test("a log whose header is damaged costs what is in it alone, and the daemon serves", arguments: Store.allCases)
    func damagedLog(_ store: Store) throws {
        let first = try machine.startBroker()
        try person.signUp(machine.connect(), on: machine)
        // In order, so the databases hold it without their logs.
        stop(first)
        let second = try machine.startBroker()
        try Person.random().signUp(machine.connect(), on: machine)
        end(second)

        let url = URL(fileURLWithPath: logPath(store))
        var log = try Data(contentsOf: url)
        try #require(log.count > 8192)
        for index in 0..<512 { log[index] ^= 0xFF }
        let file = try FileHandle(forWritingTo: url)
        try file.write(contentsOf: log)
        try file.close()

        let daemon = try machine.startBroker()
        let connection = try machine.connect()
        #expect(try person.signIn(connection) == "accepted")
        let accounts = try connection.call("account.list")["accounts"]?.array ?? []
        let own = try #require(accounts.first { $0["username"]?.string == person.email }?["account"])
        _ = try person.token(connection, ["account": own])
        try Person.random().signUp(connection, on: machine)
        stop(daemon)
        try expectSound()
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

    @Test("when the folder of the sockets is cleaned away, who is connected is served, and a start mends it")
    func cleanedRun() throws {
        let daemon = try machine.startBroker()
        let connection = try machine.connect()
        try person.signUp(connection, on: machine)
        let token = try person.token(connection)
        let run = machine.folder.path("run")
        try FileManager.default.removeItem(atPath: run)
        #expect(try person.token(connection)["accessToken"] == token["accessToken"])
        #expect(try person.signIn(connection) == "accepted")
        let outcome = try machine.tokenbroker(["status"])
        #expect(outcome.status == 69, "\(outcome.status) \(outcome.errors)")
        #expect(outcome.errors.contains(machine.socket), "\(outcome.errors)")
        stop(daemon)

        try FileManager.default.createDirectory(
            atPath: run,
            withIntermediateDirectories: false,
            attributes: [.posixPermissions: 0o700]
        )
        let next = try machine.startBroker()
        let again = try machine.connect()
        #expect(try person.token(again)["username"]?.string == person.email)
        stop(next)
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
