import Foundation
import OAuth
import TestSupport
import Testing

/// End-to-end tests of a token cache that a passphrase protects.
@Suite(.timeLimit(.minutes(5)))
struct LockTests {
    private let passphrase = "Planted-grey-heron"
    private let name = "vault-\(geteuid())"

    private func token(_ connection: Connection) throws -> String {
        try #require(try Person.random().token(connection)["accessToken"]?.string)
    }

    private func lock(_ connection: Connection) throws {
        #expect(try connection.call("broker.lock", ["passphrase": .string(passphrase)]) == ["locked": true])
    }

    private func unlock(_ connection: Connection) throws {
        #expect(try connection.call("broker.unlock", ["passphrase": .string(passphrase)]) == ["locked": false])
    }

    private func isLocked(_ connection: Connection) throws -> Bool? {
        try connection.call("broker.status")["locked"]?.bool
    }

    private func end(_ daemon: RunningProgram) {
        daemon.signal(SIGTERM)
        #expect(daemon.wait() == 0)
    }

    @Test("calls that need the cache are 1021 while it is locked, others succeed, and unlocking restores the token")
    func methods() throws {
        let machine = try Machine()
        let daemon = try machine.startBroker()
        let connection = try machine.connect()
        try Person.random().signUp(connection, on: machine)
        let first = try token(connection)
        #expect(try token(connection) == first, "and it is remembered")
        try lock(connection)
        let other = try machine.connect()
        for connection in [connection, other] {
            for (method, params) in [
                ("token.acquire", ["scopes": ["tasks.read", "tasks.write"], "prompt": "none"]),
                ("token.list", [:]), ("account.list", [:]), ("account.get", ["account": "a"]),
                ("account.use", ["account": "a"]), ("flow.list", [:]),
                ("flow.start", ["policy": "b2c_1_sign_in", "requestId": "r"]), ("flow.get", ["flow": "f"]),
                ("flow.wait", ["flow": "f"]), ("flow.cancel", ["flow": "f"]),
                ("flow.submit", ["flow": "f", "step": "s", "submissionId": "i", "answers": [:]]),
                ("session.signOut", ["account": "a"]), ("broker.lock", ["passphrase": "x"]),
            ] as [(String, JSONValue)] {
                let refused = try connection.refusal(method, params)
                #expect(refused.code == 1021, "\(method)")
                #expect(refused.reason == "locked")
                #expect(refused.message.contains("tokenbroker unlock"), "\(refused.message)")
            }
            #expect(try isLocked(connection) == true)
            for (method, params) in [
                ("rpc.discover", [:]), ("broker.hello", ["protocol": [1], "client": ["id": "tokenbroker-cli"]]),
                ("policy.list", [:]), ("policy.get", ["policy": "b2c_1_sign_in"]), ("audit.query", [:]),
            ] as [(String, JSONValue)] { _ = try connection.call(method, params) }
        }
        for wrong in ["", String(repeating: "é", count: 513), String(repeating: "x", count: 1025)] {
            for method in ["broker.lock", "broker.unlock"] {
                let refused = try connection.refusal(method, ["passphrase": .string(wrong)])
                #expect(refused.code == -32602)
                #expect(refused.data["member"] == "passphrase")
            }
        }
        #expect(try connection.refusal("broker.unlock", ["passphrase": "wrong"]).code == 1006)
        #expect(try isLocked(connection) == true)
        try unlock(connection)
        #expect(try token(connection) == first)
        #expect(try token(other) == first)
        try unlock(connection)
        end(daemon)
    }

    @Test("wrong passphrases are counted across connections and restarts") func blocked() throws {
        let machine = try Machine()
        let daemon = try machine.startBroker()
        try lock(machine.connect())
        for _ in 0..<3 {
            #expect(try machine.connect().refusal("broker.unlock", ["passphrase": "wrong"]).code == 1006)
        }
        daemon.signal(SIGKILL)
        daemon.wait()
        let next = try machine.startBroker()
        #expect(try machine.connect().refusal("broker.unlock", ["passphrase": "wrong"]).code == 1006)
        let last = try machine.connect().refusal("broker.unlock", ["passphrase": "wrong"])
        #expect(last.code == 1006)
        #expect(last.retryAfterMs != nil)
        let blocked = try machine.connect().refusal("broker.unlock", ["passphrase": .string(passphrase)])
        #expect(blocked.code == 1007)
        #expect((1...60_000).contains(blocked.retryAfterMs ?? 0))
        let command = try machine.tokenbroker(["unlock", "--password-stdin"], input: passphrase + "\n")
        #expect(command.status == 75)
        end(next)
    }

    @Test("the command line locks, reports this by exit codes, unlocks, and resets without the passphrase")
    func commands() throws {
        let machine = try Machine()
        let daemon = try machine.startBroker()
        let connection = try machine.connect()
        let person = Person.random()
        try person.signUp(connection, on: machine)
        #expect(try machine.tokenbroker(["accounts"]).output.contains(person.email))
        let arguments = ["token", "--scope", "tasks.read"]
        let first = try machine.tokenbroker(arguments)
        try #require(first.status == 0, "\(first.errors)")
        let locked = try machine.tokenbroker(["lock", "--password-stdin"], input: passphrase + "\n")
        #expect(locked.status == 0, "\(locked.errors)")
        #expect(locked.output == "locked\n")
        for arguments in [arguments, arguments + ["--no-prompt"], ["accounts"], ["whoami"]] {
            let refused = try machine.tokenbroker(arguments)
            #expect(refused.status == 77, "\(arguments)")
            #expect(refused.output.isEmpty)
            #expect(refused.errors.contains("tokenbroker unlock"), "\(refused.errors)")
        }
        let again = try machine.tokenbroker(["lock", "--password-stdin", "--json"], input: "other\n")
        #expect(again.status == 77)
        #expect(again.errors.contains(#""reason":"locked""#), "\(again.errors)")
        #expect(try machine.tokenbroker(["status"]).output.contains("Token cache:      locked\n"))
        let doctor = try machine.tokenbroker(["doctor"])
        #expect(doctor.output.contains("locked"), "\(doctor.output)")
        let wrong = try machine.tokenbroker(["unlock", "--password-stdin"], input: "wrong\n")
        #expect(wrong.status == 77)
        #expect(wrong.errors.contains("sign-out --all"), "\(wrong.errors)")
        #expect(try machine.tokenbroker(["unlock", "--password-stdin"], input: "\n").status == 64)
        #expect(try machine.tokenbroker(["unlock", "--password-stdin"]).status == 77)
        let unlocked = try machine.tokenbroker(["unlock", "--password-stdin", "--json"], input: passphrase + "\n")
        #expect(unlocked.output == "{\"locked\":false}\n", "\(unlocked.errors)")
        #expect(try machine.tokenbroker(["status"]).output.contains("Token cache:      unlocked\n"))
        #expect(try machine.tokenbroker(arguments).output == first.output)

        _ = try machine.tokenbroker(["lock", "--password-stdin"], input: "forgotten\n")
        let out = try machine.tokenbroker(["sign-out", "--all"])
        #expect(out.status == 0, "\(out.errors)")
        #expect(try machine.tokenbroker(["status"]).output.contains("Token cache:      unlocked\n"))
        #expect(try !machine.tokenbroker(["accounts"]).output.contains(person.email))
        try Person.random().signUp(connection, on: machine)
        #expect(try machine.tokenbroker(arguments).status == 0)
        end(daemon)
    }

    @Test("the service manager stores the key of an unlocked cache, and the next start opens the cache with it")
    func kept() throws {
        let machine = try Machine()
        let notify = NotifySocket(machine.folder.path("run/notify"))
        let daemon = try machine.startBroker(notify: notify)
        let connection = try machine.connect()
        try Person.random().signUp(connection, on: machine)
        let first = try token(connection)
        try lock(connection)
        #expect(try #require(notify.next()).lines == ["FDSTOREREMOVE=1", "FDNAME=\(name)"])
        try unlock(connection)
        let key = try stored(notify)
        defer { close(key) }
        end(daemon)

        // Without the stored descriptor, as after a reboot, the cache stays locked.
        let bare = try machine.startBroker(notify: notify)
        #expect(try isLocked(machine.connect()) == true)
        end(bare)

        // A key that is stored under the name of another uid unlocks no cache.
        let foreign = try start(machine, notify, ["vault-4000000000": key])
        #expect(try isLocked(machine.connect()) == true)
        #expect(foreign.errors().contains("a stored key unlocks no cache"))
        end(foreign)

        let next = try start(machine, notify, [name: key])
        #expect(try token(machine.connect()) == first)
        // Locking the cache again invalidates the key that the service manager stores.
        try lock(machine.connect())
        end(next)
        let last = try start(machine, notify, [name: key])
        #expect(try isLocked(machine.connect()) == true)
        end(last)
    }

    @Test("a descriptor with a key's name that holds no key is closed and logged, and the socket still works")
    func foreign() throws {
        let machine = try Machine()
        let notify = NotifySocket(machine.folder.path("run/notify"))
        let file = open(machine.configuration, O_RDONLY)
        let daemon = try start(machine, notify, [name: file])
        close(file)
        #expect(daemon.errors().contains("a stored key unlocks no cache"))
        #expect(try isLocked(machine.connect()) == false)
        let open = try FileManager.default.contentsOfDirectory(atPath: "/proc/\(daemon.pid)/fd").compactMap {
            try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/\(daemon.pid)/fd/\($0)")
        }
        #expect(!open.contains(machine.configuration))
        end(daemon)
    }

    @Test("no log, database, argument or environment contains the passphrase or the key") func secrecy() throws {
        let machine = try Machine()
        let notify = NotifySocket(machine.folder.path("run/notify"))
        let daemon = try machine.startBroker(notify: notify)
        let connection = try machine.connect()
        try Person.random().signUp(connection, on: machine)
        let command = try BuiltProgram("tokenbroker").start(
            ["lock", "--password-stdin"],
            environment: machine.environment
        )
        command.input.write(Data(passphrase.utf8))
        for pid in [command.pid, daemon.pid] {
            for part in ["cmdline", "environ"] {
                let content = try Data(contentsOf: URL(fileURLWithPath: "/proc/\(pid)/\(part)"))
                #expect(content.range(of: Data(passphrase.utf8)) == nil, "\(part) of \(pid)")
            }
        }
        command.input.write(Data("\n".utf8))
        #expect(command.wait() == 0, "\(command.errors())")
        _ = notify.next()
        try unlock(connection)
        let descriptor = try stored(notify)
        defer { close(descriptor) }
        var bytes = [UInt8](repeating: 0, count: 4096)
        let count = pread(descriptor, &bytes, bytes.count, 0)
        try #require(count > 32)
        let key = Data(bytes[(count - 32)..<count])
        let hex = key.map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined()
        let secrets =
            [key]
            + [passphrase, Base64URL.encode(key), key.base64EncodedString(), hex, hex.uppercased()].map {
                Data($0.utf8)
            }
        _ = try token(connection)
        _ = try connection.refusal("broker.unlock", ["passphrase": [.string(passphrase)]])
        let audit = try connection.call("audit.query").text
        end(daemon)
        for secret in secrets {
            for said in [try daemon.log(), daemon.output(), command.errors(), command.output(), audit] {
                #expect(Data(said.utf8).range(of: secret) == nil)
            }
            let files = try FileManager.default.subpathsOfDirectory(atPath: machine.state)
            #expect(files.contains("cache.sqlite"), "\(files)")
            for file in files {
                guard let content = FileManager.default.contents(atPath: machine.state + "/" + file) else { continue }
                #expect(content.range(of: secret) == nil, "in \(file)")
            }
        }
    }

    /// Returns the descriptor that the daemon sends to the service manager when a cache is unlocked.
    private func stored(_ notify: NotifySocket) throws -> Int32 {
        #expect(try #require(notify.next()).lines == ["FDSTOREREMOVE=1", "FDNAME=\(name)"])
        let message = try #require(notify.next())
        #expect(message.lines == ["FDSTORE=1", "FDNAME=\(name)"])
        return try #require(message.descriptor)
    }

    /// Starts the daemon with inherited descriptors, as a service manager does.
    ///
    /// A shell starts the daemon, because `LISTEN_PID` must be the daemon's own process id.
    private func start(
        _ machine: Machine,
        _ notify: NotifySocket,
        _ descriptors: [String: Int32]
    ) throws -> RunningProgram {
        var script = ""
        for (index, descriptor) in descriptors.values.enumerated() {
            script += "exec \(index + 3)</proc/\(getpid())/fd/\(descriptor)\n"
        }
        script += "LISTEN_PID=$$ exec \"$@\""
        let environment = [
            "NOTIFY_SOCKET": notify.path, "LISTEN_FDS": String(descriptors.count),
            "LISTEN_FDNAMES": descriptors.keys.joined(separator: ":"),
        ]
        let program = try BuiltProgram(path: "/bin/sh").start(
            ["-c", script, "sh", BuiltProgram("tokenbrokerd").url.path] + machine.arguments,
            environment: machine.environment.merging(environment) { $1 }
        )
        guard notify.receives("READY=1") else {
            program.signal(SIGKILL)
            program.wait()
            throw NotReady(name: "tokenbrokerd", errors: program.errors())
        }
        return program
    }
}
