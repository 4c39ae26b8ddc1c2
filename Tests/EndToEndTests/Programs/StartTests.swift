import Foundation
import OAuth
import Synchronization
import TestSupport
import Testing

/// Tests of problems that keep `tokenbrokerd` from starting.
///
/// The daemon must report each problem and change nothing.
@Suite(.timeLimit(.minutes(5)))
struct StartTests {
    private func refused(_ machine: Machine, _ extra: [String] = [], saying words: String...) throws {
        let outcome = try machine.runBroker(extra)
        #expect(outcome.status == 78, "\(outcome.errors)")
        #expect(outcome.errors.contains("tokenbrokerd: error: ") || extra.contains("--check"), "\(outcome.errors)")
        for word in words { #expect(outcome.errors.contains(word), "\(word) in \(outcome.errors)") }
    }

    private func stop(_ daemon: RunningProgram) {
        daemon.signal(SIGTERM)
        #expect(daemon.wait() == 0, "\(daemon.errors())")
    }

    @Test(
        "an error in the configuration is named by file and line",
        arguments: [
            ("listn: []", "listn"), ("limits: {flows: 0}", "flows"), ("limits: {flows: many}", "flows"),
            ("tenant: local\ntenant: other", "tenant"), ("issuerBase: http://localhost/tasks:3000", "3000/tasks"),
            ("defaultPolicy: b2c_1_absent", "b2c_1_absent"), ("listen: [\"0.0.0.0:8420\"]", "behindProxy"),
            ("identityProviders: {facebook: {preset: facebook}}", "identityProviders"),
            ("mail: {transport: smtp}", "mail.host"), ("signUp: shut", "signUp"), ("tls: selfSigned", "localCA"),
            ("apis: {tasks: {audience: tasks, scopes: {}, colour: red}}", "colour"),
            ("clients: {evil: {type: public, name: \"A\\u009b31mB\"}}", "control characters"),
        ]
    )
    func configuration(_ line: String, _ word: String) throws {
        let machine = try Machine()
        try machine.write(line.components(separatedBy: "\n"), to: "etc/tokenbrokerd.yaml")
        for extra in [["--check"], []] {
            let outcome = try machine.runBroker(extra)
            #expect(outcome.status == 78)
            #expect(outcome.errors.contains("tokenbrokerd.yaml:"), "\(outcome.errors)")
            #expect(outcome.errors.contains(word), "\(outcome.errors)")
        }
        #expect(!FileManager.default.fileExists(atPath: machine.state + "/authority.sqlite"))
    }

    @Test("a missing operator group is named by file and line, in the check and at the start")
    func unknownGroup() throws {
        let machine = try Machine()
        let daemon = try machine.startBroker()
        let text = try String(contentsOfFile: machine.configuration, encoding: .utf8)
        let number = text.split(separator: "\n").count + 2
        try (text + "operators:\n  groups: [root, no-such-group]\n")
            .write(toFile: machine.configuration, atomically: true, encoding: .utf8)
        for extra in [["--check"], []] {
            let outcome = try machine.runBroker(extra)
            #expect(outcome.status == 78)
            #expect(outcome.errors.contains("tokenbrokerd.yaml:\(number): "), "\(outcome.errors)")
            #expect(outcome.errors.contains("there is no group no-such-group"), "\(outcome.errors)")
        }
        stop(daemon)
    }

    @Test("--check prints one line for files without problems")
    func check() throws {
        let machine = try Machine()
        let outcome = try machine.runBroker(["--check"])
        #expect(outcome.status == 0, "\(outcome.errors)")
        #expect(outcome.output.hasPrefix("OK: \(machine.configuration), "), "\(outcome.output)")
        #expect(outcome.output.hasSuffix(" 6 policies, 1 unavailable, 0 warnings\n"), "\(outcome.output)")
        #expect(!outcome.errors.contains("error"))
    }

    @Test(
        "an error in a policy is named by file and line",
        arguments: [
            ("kind: social", "social"), ("kind: step-up", "step-up"),
            ("kind: sign-in\nsignInCheck: [UserLogin]", "signInCheck"),
            ("kind: sign-in\ntokens: {accessTokenLifetimeSec: 5}", "accessTokenLifetimeSec"),
            ("kind: sign-in\nextends: b2c_1_wrong", "b2c_1_wrong"),
            ("kind: sign-in\nsignInChecks: [Nothing]", "Nothing"),
            ("kind: sign-in\nkind: sign-up", "kind"),
        ]
    )
    func policy(_ text: String, _ word: String) throws {
        let machine = try Machine()
        try machine.write(text.components(separatedBy: "\n"), to: "etc/policies/b2c_1_wrong.yaml")
        let outcome = try machine.runBroker(["--check"])
        #expect(outcome.status == 78)
        #expect(outcome.errors.contains("b2c_1_wrong.yaml:"), "\(outcome.errors)")
        #expect(outcome.errors.contains(word), "\(outcome.errors)")
    }

    @Test("two policies that differ only by case are refused")
    func duplicatePolicy() throws {
        let machine = try Machine()
        try machine.write(["kind: sign-in"], to: "etc/policies/B2C_1_Sign_In.yaml")
        try refused(machine, ["--check"], saying: "b2c_1_sign_in")
    }

    @Test(
        "a changed or missing key is refused by its id, and nothing is written",
        arguments: [
            ("authority-key", "authority.sqlite"), ("cache-key", "cache.sqlite"),
        ]
    )
    func keys(_ key: String, _ database: String) throws {
        let machine = try Machine()
        stop(try machine.startBroker())
        let path = machine.state + "/" + key
        let original = try Data(contentsOf: URL(fileURLWithPath: path))
        let before = try Data(contentsOf: URL(fileURLWithPath: machine.state + "/" + database))

        var changed = original
        changed[0] = changed[0] == 65 ? 66 : 65
        try changed.write(to: URL(fileURLWithPath: path))
        try refused(machine, saying: key)
        try FileManager.default.removeItem(atPath: path)
        try refused(machine, saying: key)
        #expect(!FileManager.default.fileExists(atPath: path))
        #expect(try Data(contentsOf: URL(fileURLWithPath: machine.state + "/" + database)) == before)

        try original.write(to: URL(fileURLWithPath: path))
        try refused(machine, saying: "0600")
        try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: path)
        stop(try machine.startBroker())
    }

    @Test("a state directory that others can read is refused with advice")
    func openState() throws {
        let machine = try Machine()
        stop(try machine.startBroker())
        try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: machine.state)
        try refused(machine, saying: machine.state, "0700")
    }

    @Test("every state file is accessible to its owner only")
    func privateFiles() throws {
        let machine = try Machine()
        let daemon = try machine.startBroker()
        let names = try FileManager.default.subpathsOfDirectory(atPath: machine.state)
        #expect(names.contains("authority.sqlite") && names.contains("cache.sqlite"))
        for name in names {
            let attributes = try FileManager.default.attributesOfItem(atPath: machine.state + "/" + name)
            let mode = try #require(attributes[.posixPermissions] as? NSNumber).intValue
            #expect(mode & 0o077 == 0, "\(name) is \(String(mode, radix: 8))")
        }
        stop(daemon)
    }

    @Test(
        "invalid arguments are a usage error and start nothing",
        arguments: [["--config"], ["--config", "--policies", "x"], ["--confg", "x"], ["x"]]
    )
    func usage(_ arguments: [String]) throws {
        let machine = try Machine()
        let outcome = try BuiltProgram("tokenbrokerd").run(
            ["--state-directory", machine.state] + arguments,
            environment: machine.environment
        )
        #expect(outcome.status == 64, "\(outcome.errors)")
        #expect(outcome.errors.hasPrefix("tokenbrokerd: error: "), "\(outcome.errors)")
        #expect(!FileManager.default.fileExists(atPath: machine.state + "/authority.sqlite"))
    }

    @Test("a refused restore or --accept-damage does not create the folder of a missing store")
    func nothingMade() throws {
        let machine = try Machine()
        let absent = machine.folder.path("absent")
        let file = machine.folder.path("file")
        try Data("no backup".utf8).write(to: URL(fileURLWithPath: file))
        for (options, status, words) in [
            (["--accept-damage"], 1, "There is no store in \(absent)"), (["--restore", file], 78, "authority-key"),
        ] as [([String], Int32, String)] {
            let outcome = try BuiltProgram("tokenbrokerd").run(
                options + ["--state-directory", absent],
                environment: machine.environment
            )
            #expect(outcome.status == status && outcome.errors.contains(words), "\(outcome.errors)")
            #expect(!FileManager.default.fileExists(atPath: absent))
        }
    }

    @Test("the log names the broker's socket, and warns about a configuration that others can change")
    func firstLines() throws {
        let machine = try Machine()
        chmod(machine.configuration, 0o664)
        let daemon = try machine.startBroker()
        stop(daemon)
        #expect(daemon.errors().contains("listening address=\(machine.socket)"), "\(daemon.errors())")
        #expect(daemon.errors().contains("users other than its owner can change this file"), "\(daemon.errors())")
        chmod(machine.configuration, 0o644)
        let quiet = try machine.startBroker()
        stop(quiet)
        #expect(!quiet.errors().contains("users other than its owner"), "\(quiet.errors())")
    }

    @Test("a second daemon on the same cache is refused and names the first")
    func secondDaemon() throws {
        let machine = try Machine()
        let daemon = try machine.startBroker()
        try refused(
            machine,
            ["--socket", machine.folder.path("run/other.sock")],
            saying: machine.state,
            "Process \(daemon.pid)",
            "tokenbrokerd is already running"
        )
        stop(daemon)
    }

    @Test("a socket in a missing directory is refused with the directory and what to do")
    func missingDirectory() throws {
        let machine = try Machine()
        let folder = machine.folder.path("none/more")
        try refused(
            machine,
            ["--socket", folder + "/s.sock"],
            saying: "The directory \(folder) for the socket cannot be created: No such file or directory.",
            "Create the directory that contains it"
        )
    }

    @Test("a port in use is named with the process that uses it")
    func heldPort() throws {
        let machine = try Machine()
        let other = try Machine()
        let daemon = try machine.startBroker()
        try other.write(
            ["issuerBase: \(machine.base)", "listen: [\"127.0.0.1:\(machine.port)\", \"[::1]:\(machine.port)\"]"],
            to: "etc/tokenbrokerd.yaml"
        )
        try refused(other, saying: "\(machine.port)", "\(daemon.pid)")
        stop(daemon)
    }

    @Test("a socket in use is left unchanged, and an unused one is replaced")
    func sockets() throws {
        let machine = try Machine()
        let other = try Machine()
        let daemon = try machine.startBroker()
        try refused(other, ["--socket", machine.socket], saying: machine.folder.path("run/"))
        _ = try machine.connect().call("broker.status")
        daemon.signal(SIGKILL)
        daemon.wait()
        #expect(FileManager.default.fileExists(atPath: machine.socket))
        let next = try machine.startBroker()
        _ = try machine.connect().call("broker.status")
        stop(next)
    }

    @Test("a refused start gives its reason and ends although clients wait, however often")
    func refusedWhileClientsWait() throws {
        let machine = try Machine()
        stop(try machine.startBroker())
        try FileManager.default.removeItem(atPath: machine.state + "/authority-key")
        let isOver = Mutex(false)
        let reached = Mutex(0)
        let clients = DispatchGroup()
        for _ in 0..<4 {
            DispatchQueue.global().async(group: clients) {
                while !isOver.withLock({ $0 }) {
                    let arrived = (0..<8).compactMap { _ in try? RawClient(port: machine.port) }
                    reached.withLock { $0 += arrived.count }
                    for client in arrived { client.leave() }
                }
            }
        }
        defer { isOver.withLock { $0 = true } }
        var starts = 0
        while starts < 10 || starts < 200 && reached.withLock({ $0 }) < 10 {
            try refused(machine, saying: "authority-key")
            starts += 1
        }
        isOver.withLock { $0 = true }
        #expect(clients.wait(timeout: .now() + .seconds(60)) == .success)
    }

    @Test("a reload with an invalid file keeps the old one in force")
    func reload() throws {
        let machine = try Machine()
        let notify = NotifySocket(machine.folder.path("run/n"))
        let daemon = try machine.startBroker(notify: notify)
        func policies() throws -> Set<String> {
            let list = try machine.connect().call("policy.list")["policies"]?.array ?? []
            return Set(list.compactMap { $0["policy"]?.string })
        }
        let before = try policies()
        try machine.write(["kind: sign-in", "displayName: Another"], to: "etc/policies/b2c_1_another.yaml")
        try machine.write(["kind: nonsense"], to: "etc/policies/b2c_1_wrong.yaml")
        daemon.signal(SIGHUP)
        #expect(notify.receives("READY=1"))
        #expect(try policies() == before)
        #expect(daemon.errors().contains("b2c_1_wrong.yaml:1"), "\(daemon.errors())")
        try FileManager.default.removeItem(atPath: machine.policies + "/b2c_1_wrong.yaml")
        daemon.signal(SIGHUP)
        #expect(notify.receives("READY=1"))
        #expect(try policies() == before.union(["b2c_1_another"]))
        stop(daemon)
    }

    @Test("problems in files are shown without characters that could deceive a terminal, by both daemons' checks")
    func plain() throws {
        let machine = try Machine()
        try machine.write(["kind: nonsense"], to: "etc/policies/b2c_1_\u{1B}[31m.yaml")
        try machine.write([#""\e[31mX\u202E": 1"#], to: "etc/wrong.yaml")
        let wrong = machine.folder.path("etc/wrong.yaml")
        let outcomes = try [
            machine.runBroker(["--check"]), machine.runBroker([]), machine.runBroker(["--config", wrong, "--check"]),
            BuiltProgram("tasksd").run(["--config", wrong, "--check"], environment: machine.environment),
        ]
        for outcome in outcomes {
            #expect(outcome.status == 78, "\(outcome.status) \(outcome.errors)")
            #expect(outcome.errors.contains(".yaml:1: ") && outcome.errors.contains("\u{FFFD}"), "\(outcome.errors)")
            for sign in ["\u{1B}", "\u{202E}"] {
                #expect(!outcome.errors.unicodeScalars.contains(Unicode.Scalar(sign) ?? " "), "\(outcome.errors)")
            }
        }
    }
}
