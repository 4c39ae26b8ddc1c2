import Foundation
import GRDB
import OAuth
import TestSupport
import Testing

/// A state directory that cannot be written, is full, or is of another version.
@Suite(.timeLimit(.minutes(5)))
struct StateTests {
    private func stop(_ daemon: RunningProgram) {
        daemon.signal(SIGTERM)
        #expect(daemon.wait() == 0, "\(daemon.errors())")
    }

    /// Runs `tokenbrokerd` without root's right to pass over the modes of files.
    private func runWithoutPower(_ machine: Machine) throws -> BuiltProgram.Outcome {
        guard geteuid() == 0 else { return try machine.runBroker() }
        let broker = BuiltProgram("tokenbrokerd").url.path
        return try BuiltProgram(path: "/usr/bin/setpriv").run(
            ["--bounding-set", "-all", "--inh-caps", "-all", "--", broker] + machine.arguments,
            environment: machine.environment
        )
    }

    private func contents(_ machine: Machine) throws -> [String: Data] {
        var contents: [String: Data] = [:]
        for name in try FileManager.default.contentsOfDirectory(atPath: machine.state) where name.hasSuffix(".sqlite") {
            contents[name] = try Data(contentsOf: URL(fileURLWithPath: machine.state + "/" + name))
        }
        return contents
    }

    @Test("a state directory that cannot be written is named at the start", arguments: [false, true])
    func readOnly(isNew: Bool) throws {
        let machine = try Machine()
        let person = Person.random()
        if isNew {
            try FileManager.default.createDirectory(atPath: machine.state, withIntermediateDirectories: true)
        } else {
            let daemon = try machine.startBroker()
            try person.signUp(machine.connect(), on: machine)
            stop(daemon)
        }
        let before = try contents(machine)
        try FileManager.default.setAttributes([.posixPermissions: 0o500], ofItemAtPath: machine.state)
        defer { try? FileManager.default.setAttributes([.posixPermissions: 0o700], ofItemAtPath: machine.state) }
        let outcome = try runWithoutPower(machine)
        #expect([75, 78].contains(outcome.status), "\(outcome.status) \(outcome.errors)")
        #expect(outcome.errors.contains("tokenbrokerd: error: "), "\(outcome.errors)")
        #expect(outcome.errors.contains(machine.state), "\(outcome.errors)")
        #expect(try contents(machine) == before)
        guard !isNew else { return }
        try FileManager.default.setAttributes([.posixPermissions: 0o700], ofItemAtPath: machine.state)
        let daemon = try machine.startBroker()
        #expect(try person.signIn(machine.connect()) == "accepted")
        stop(daemon)
    }

    @Test("a disk that is full at the start is a sentence, and the start is tried later") func fullAtStart() throws {
        let machine = try Machine()
        try FileManager.default.createDirectory(
            atPath: machine.state,
            withIntermediateDirectories: true,
            attributes: [.posixPermissions: 0o700]
        )
        let outcome: BuiltProgram.Outcome
        if mount("none", machine.state, "tmpfs", 0, "size=64k,mode=0700") == 0 {
            defer { umount2(machine.state, Int32(MNT_DETACH)) }
            outcome = try machine.runBroker()
        } else {
            // Without the right to mount, files that may not grow.
            outcome = try BuiltProgram(path: "/bin/sh").run(
                ["-c", "ulimit -f 32; exec \"$@\"", "sh", BuiltProgram("tokenbrokerd").url.path] + machine.arguments,
                environment: machine.environment
            )
        }
        #expect(outcome.status == 75, "\(outcome.status) \(outcome.errors)")
        #expect(outcome.errors.contains("tokenbrokerd: error: "), "\(outcome.errors)")
        #expect(outcome.errors.contains(machine.state), "\(outcome.errors)")
    }

    @Test("a disk that fills up is answered as such, and the daemon goes on when there is room") func fills() throws {
        let machine = try Machine()
        let daemon = try machine.startBroker()
        let connection = try machine.connect()
        let person = Person.random()
        try person.signUp(connection, on: machine)
        let token = try person.token(connection)
        let started = try connection.call("flow.start", ["policy": "b2c_1_sign_in", "requestId": "before"])
        let flow = try #require(started["flow"])

        let log = try FileManager.default.attributesOfItem(atPath: machine.state + "/authority.sqlite-wal")
        try #require((log[.size] as? NSNumber)?.intValue ?? 0 > 65_536)
        try limitFiles(of: daemon, to: "65536:unlimited")
        let refused = try connection.refusal("flow.start", ["policy": "b2c_1_sign_in", "requestId": "during"])
        #expect(refused.code == 1024)
        #expect(refused.reason == "storage_failed")
        let answers: JSONValue = ["username": .string(person.email), "password": .string(person.password)]
        let submission = Connection.submission(flow, answers, submission: "during")
        #expect(try connection.refusal("flow.submit", submission).code == 1024)
        // What needs no room is answered.
        #expect(try person.token(connection)["accessToken"] == token["accessToken"])
        #expect(daemon.errors().contains("authority.sqlite"), "\(daemon.errors())")

        try limitFiles(of: daemon, to: "unlimited:unlimited")
        #expect(try connection.submit(flow, answers, submission: "after")["verdict"]?.string == "accepted")
        #expect(try person.signIn(connection) == "accepted")
        daemon.signal(SIGKILL)
        daemon.wait()
        let next = try machine.startBroker()
        #expect(try person.signIn(machine.connect()) == "accepted")
        stop(next)
    }

    private func limitFiles(of daemon: RunningProgram, to limit: String) throws {
        let outcome = try BuiltProgram(path: "/usr/bin/prlimit").run(["--pid", "\(daemon.pid)", "--fsize=\(limit)"])
        try #require(outcome.status == 0, "\(outcome.errors)")
    }

    @Test("a database of a newer version is refused and left as it is", arguments: ["authority", "cache"])
    func newer(_ name: String) throws {
        let machine = try Machine()
        stop(try machine.startBroker())
        let path = machine.state + "/\(name).sqlite"
        let database = try DatabaseQueue(path: path)
        try database.write { try $0.execute(sql: "UPDATE schema_version SET version = version + 1") }
        try database.close()
        let before = try contents(machine)
        let outcome = try machine.runBroker()
        #expect(outcome.status == 78, "\(outcome.errors)")
        #expect(outcome.errors.contains(path) && outcome.errors.contains("newer version"), "\(outcome.errors)")
        #expect(try contents(machine)["\(name).sqlite"] == before["\(name).sqlite"])
    }

    @Test("passwords that are being evaluated at the end are answered, and the end is in order") func evaluation()
        throws
    {
        let machine = try Machine(configuration: ["limits: {kdfJobs: 1}"])
        let daemon = try machine.startBroker()
        let connection = try machine.connect()
        let person = Person.random()
        try person.signUp(connection, on: machine)
        let answers: JSONValue = ["username": .string(person.email), "password": .string(person.password)]
        let lines = try (0..<3).map { number -> String in
            let request: JSONValue = ["policy": "b2c_1_sign_in", "requestId": .string("r\(number)")]
            let flow = try #require(try connection.call("flow.start", request)["flow"])
            let submit: JSONValue = [
                "jsonrpc": "2.0", "id": .int(Int64(number)), "method": "flow.submit",
                "params": Connection.submission(flow, answers),
            ]
            return submit.text + "\n"
        }
        // As many as may be wrong at once. They come in one piece and are evaluated one after the other, so when one is
        // answered the others are begun.
        try connection.socket.send(bytes: Array(lines.joined().utf8))
        var verdicts: [String?] = []
        for number in lines.indices {
            let answer = try StrictJSON.parse(Array(connection.socket.receive().utf8))
            #expect(answer["error"] == nil, "\(answer.text)")
            verdicts.append(answer["result"]?["verdict"]?.string)
            if number == 0 { daemon.signal(SIGTERM) }
        }
        #expect(verdicts == Array(repeating: "accepted", count: 3))
        #expect(connection.socket.isClosed())
        #expect(daemon.wait() == 0, "\(daemon.errors())")
    }
}
