import Foundation
import GRDB
import OAuth
import TestSupport
import Testing

/// Tests with a state directory that is not writable, is full, or was written by another version.
@Suite(.timeLimit(.minutes(5)))
struct StateTests {
    private func stop(_ daemon: RunningProgram) {
        daemon.signal(SIGTERM)
        #expect(daemon.wait() == 0, "\(daemon.errors())")
    }

    /// Runs `tokenbrokerd` without root's capability to ignore file modes.
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

    @Test("a state directory that is not writable is named at the start", arguments: [false, true])
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

    @Test(
        "a database that is not writable is named at the start and left unchanged",
        arguments: ["authority", "cache"]
    )
    func readOnlyDatabase(_ name: String) throws {
        let machine = try Machine()
        let daemon = try machine.startBroker()
        let person = Person.random()
        try person.signUp(machine.connect(), on: machine)
        stop(daemon)
        let before = try contents(machine)
        let path = machine.state + "/\(name).sqlite"
        try FileManager.default.setAttributes([.posixPermissions: 0o400], ofItemAtPath: path)
        let outcome = try runWithoutPower(machine)
        #expect([75, 78].contains(outcome.status), "\(outcome.status) \(outcome.errors)")
        #expect(outcome.errors.contains("tokenbrokerd: error: ") && outcome.errors.contains(path), "\(outcome.errors)")
        #expect(try contents(machine)["\(name).sqlite"] == before["\(name).sqlite"])
        try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: path)
        let next = try machine.startBroker()
        #expect(try person.signIn(machine.connect()) == "accepted")
        stop(next)
    }

    /// What stops the state files from growing.
    enum Bound: CaseIterable {
        /// The size of a small disk, which only root can mount.
        case disk
        /// The process's limit on the size of files, which setrlimit(2) describes.
        case limit
    }

    /// Mounts a disk of this size at the state directory, or resizes the mounted disk if `again` is `true`.
    private func mountState(_ machine: Machine, kilobytes: Int, again: Bool = false) throws {
        let flags = again ? UInt(MS_REMOUNT) : 0
        try #require(
            mount("none", machine.state, "tmpfs", flags, "size=\(kilobytes)k,mode=0700") == 0,
            "a small disk cannot be mounted: \(String(cString: strerror(errno))); this test needs root"
        )
    }

    private func makeState(_ machine: Machine) throws {
        try FileManager.default.createDirectory(
            atPath: machine.state,
            withIntermediateDirectories: true,
            attributes: [.posixPermissions: 0o700]
        )
    }

    @Test(
        "a start without enough disk space fails with a message, is to be retried, and leaves no partial files",
        arguments: Bound.allCases
    )
    func fullAtStart(_ bound: Bound) throws {
        let machine = try Machine()
        try makeState(machine)
        let isDisk = bound == .disk
        if isDisk { try mountState(machine, kilobytes: 4) }
        defer { if isDisk { umount2(machine.state, Int32(MNT_DETACH)) } }
        var failures = 0
        for kilobytes in stride(from: 4, to: 2048, by: 12) {
            if isDisk { try mountState(machine, kilobytes: kilobytes, again: true) }
            let outcome = try tryStart(machine, blocks: isDisk ? nil : (kilobytes - 4) * 2)
            // The status 124 means that the daemon started.
            if outcome.status == 124 { break }
            #expect(outcome.status == 75, "\(kilobytes) KiB: \(outcome.status) \(outcome.output)")
            #expect(outcome.output.contains("tokenbrokerd: error: "), "\(outcome.output)")
            #expect(outcome.output.contains(machine.state), "\(outcome.output)")
            failures += 1
        }
        #expect(failures > 5)
        if isDisk { try mountState(machine, kilobytes: 8192, again: true) }
        let daemon = try machine.startBroker()
        try Person.random().signUp(machine.connect(), on: machine)
        stop(daemon)
    }

    /// Starts the daemon for a short time, with a limit on the size of files.
    ///
    /// - Parameters:
    ///   - machine: The machine on which the daemon starts.
    ///   - blocks: The limit in the units of bash's `ulimit -f`, or `nil` for no limit.
    /// - Returns: The outcome, whose output includes stderr and whose status is 124 if the daemon started.
    /// - Throws: An error if bash cannot be started.
    private func tryStart(_ machine: Machine, blocks: Int?) throws -> BuiltProgram.Outcome {
        // The output goes through a pipe, because the limit would also apply to an output file.
        let limit = blocks.map { "ulimit -f \($0);" } ?? ""
        return try BuiltProgram(path: "/bin/bash").run(
            [
                "-c", "set -o pipefail; ( \(limit) exec timeout -s TERM 2 \"$@\" ) 2>&1 | cat", "bash",
                BuiltProgram("tokenbrokerd").url.path,
            ] + machine.arguments,
            environment: machine.environment
        )
    }

    @Test(
        "a full disk is reported and loses no data, and the daemon continues when there is space",
        arguments: Bound.allCases
    )
    func fills(_ bound: Bound) throws {
        let machine = try Machine()
        try makeState(machine)
        let isDisk = bound == .disk
        if isDisk { try mountState(machine, kilobytes: 8192) }
        defer { if isDisk { umount2(machine.state, Int32(MNT_DETACH)) } }
        let daemon = try machine.startBroker()
        let connection = try machine.connect()
        let person = Person.random()
        try person.signUp(connection, on: machine)
        let token = try person.token(connection)
        let account = try #require(token["account"])
        let started = try connection.call("flow.start", ["policy": "b2c_1_sign_in", "requestId": "before"])
        let flow = try #require(started["flow"])

        let makeRoom = try fill(machine, daemon, connection, isDisk: isDisk)
        let refused = try refusalOfStart(connection)
        #expect(refused.code == 1024)
        #expect(refused.reason == "storage_failed")
        let answers: JSONValue = ["username": .string(person.email), "password": .string(person.password)]
        let submission = Connection.submission(flow, answers, submission: "during")
        #expect(try connection.refusal("flow.submit", submission).code == 1024)
        // Calls that need no disk space still succeed, also on other connections.
        #expect(try person.token(connection)["accessToken"] == token["accessToken"])
        #expect(try machine.connect().call("policy.list")["policies"]?.array?.isEmpty == false)
        #expect(daemon.errors().contains("authority.sqlite"), "\(daemon.errors())")

        try makeRoom()
        #expect(try connection.submit(flow, answers, submission: "after")["verdict"]?.string == "accepted")
        #expect(try person.signIn(connection) == "accepted")
        daemon.signal(SIGKILL)
        daemon.wait()
        let next = try machine.startBroker()
        let again = try machine.connect()
        #expect(try person.signIn(again) == "accepted")
        #expect(try person.token(again, ["account": account])["username"]?.string == person.email)
        stop(next)
    }

    /// Uses up the free space for the daemon's files.
    ///
    /// - Returns: A closure that frees the space again.
    private func fill(
        _ machine: Machine,
        _ daemon: RunningProgram,
        _ connection: Connection,
        isDisk: Bool
    ) throws -> () throws -> Void {
        guard isDisk else {
            // The log may be short, for example after a checkpoint. Flows make it longer than the limit.
            try blockUntil("the log is longer than the limit") {
                try startAndCancel(connection)
                let log = try FileManager.default.attributesOfItem(atPath: machine.state + "/authority.sqlite-wal")
                return (log[.size] as? NSNumber)?.intValue ?? 0 > 65_536
            }
            try limitFiles(of: daemon, to: "65536:unlimited")
            return { try limitFiles(of: daemon, to: "unlimited:unlimited") }
        }
        let ballast = machine.state + "/ballast"
        let file = open(ballast, O_WRONLY | O_CREAT | O_CLOEXEC, 0o600)
        try #require(file >= 0)
        defer { close(file) }
        let page = [UInt8](repeating: 1, count: 4096)
        try blockUntil("the disk is full") { write(file, page, page.count) != page.count }
        try #require(errno == ENOSPC)
        return { try FileManager.default.removeItem(atPath: ballast) }
    }

    /// Starts flows until the daemon refuses one for lack of space, and returns this refusal.
    private func refusalOfStart(_ connection: Connection) throws -> Connection.Refused {
        var refused: Connection.Refused?
        try blockUntil("there is no space for a flow") {
            do {
                try startAndCancel(connection)
            } catch let error as Connection.Refused {
                refused = error
            }
            return refused != nil
        }
        return try #require(refused)
    }

    private func startAndCancel(_ connection: Connection) throws {
        let request: JSONValue = [
            "policy": "b2c_1_sign_in", "requestId": .string("r-\(UInt64.random(in: 0 ... .max))"),
        ]
        let flow = try connection.call("flow.start", request)["flow"]
        _ = try connection.call("flow.cancel", ["flow": flow?["id"] ?? .null])
    }

    @Test("a disk that becomes read-only does not stop readers, and writes succeed once it is writable again")
    func turnsReadOnly() throws {
        let machine = try Machine()
        let disk = try ReadOnlyDisk(machine.state, keptIn: machine.folder)
        let daemon = try machine.startBroker(disk: disk)
        let connection = try machine.connect()
        let person = Person.random()
        try person.signUp(connection, on: machine)
        let token = try person.token(connection)
        let account = try #require(token["account"])

        try disk.setReadOnly(true)
        let start: JSONValue = ["policy": "b2c_1_sign_in", "requestId": "during"]
        let renewal: JSONValue = [
            "scopes": ["tasks.read", "tasks.write"], "prompt": "none", "forceRefresh": true, "account": account,
        ]
        for (method, params) in [("flow.start", start), ("token.acquire", renewal)] {
            let refused = try connection.refusal(method, params)
            #expect(refused.code == 1024 && refused.reason == "storage_failed", "\(method): \(refused)")
            #expect(refused.message.count > 20, "\(refused.message)")
        }
        #expect(try person.token(connection)["accessToken"] == token["accessToken"])
        let other = try machine.connect()
        #expect(try person.token(other)["accessToken"] == token["accessToken"])
        #expect(try other.call("policy.list")["policies"]?.array?.isEmpty == false)
        #expect(daemon.errors().contains("authority.sqlite is read-only"), "\(daemon.errors())")

        try disk.setReadOnly(false)
        #expect(try person.signIn(connection) == "accepted")
        try Person.random().signUp(other, on: machine)
        #expect(try connection.call("token.acquire", renewal)["kind"]?.string == "token")
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

    @Test("a database of a newer version is refused and left unchanged", arguments: ["authority", "cache"])
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

    @Test(
        "a database of a version before 0.1.0 is refused with 78 and left unchanged, with its log",
        arguments: ["authority", "cache"]
    )
    func older(_ name: String) throws {
        let machine = try Machine()
        stop(try machine.startBroker())
        let files = ["", "-wal"].map { URL(fileURLWithPath: machine.state + "/\(name).sqlite" + $0) }
        let database = try DatabaseQueue(path: files[0].path)
        try database.write { try $0.execute(sql: "UPDATE schema_version SET version = 20") }
        // Closing the database changes its files. The test writes them back, as a killed process would leave them.
        let before = try files.map { try Data(contentsOf: $0) }
        try database.close()
        for (file, bytes) in zip(files, before) {
            try bytes.write(to: file)
            chmod(file.path, 0o600)
        }
        let outcome = try machine.runBroker()
        #expect(outcome.status == 78, "\(outcome.errors)")
        let sentence = "\(files[0].path) was written by a development version before 0.1.0 (schema 20)"
        #expect(
            outcome.errors.contains(sentence) && outcome.errors.contains(" Nothing was changed. To start with "),
            "\(outcome.errors)"
        )
        #expect(try files.map { try Data(contentsOf: $0) } == before)
    }

    @Test("passwords that are being verified at shutdown get a response, and the shutdown is clean") func evaluation()
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
        // A user may have three answers in progress at once. The answers arrive together and are verified one after
        // another, so the other two have begun when the first response arrives.
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
