import Foundation
import TestSupport
import Testing

/// The environment of one test, with temporary folders, free ports and the built daemons.
final class Machine: Sendable {
    let folder: TemporaryFolder
    /// Whether the daemon serves every user when root runs the tests.
    ///
    /// If the value is `false`, the daemon is a per-user daemon.
    let isService: Bool
    /// The daemon's own wall clock, or `nil` for the system clock.
    let wallClock: WallClock?
    /// Additional environment variables of the daemons and of the command-line programs.
    let more: [String: String]
    let port = freePort()
    let tasksPort = freePort()

    var socket: String { folder.path("run/tokenbroker.sock") }
    var state: String { folder.path("state") }
    var outbox: String { state + "/outbox" }
    var configuration: String { folder.path("etc/tokenbrokerd.yaml") }
    var policies: String { folder.path("etc/policies") }
    var base: String { "http://localhost:\(port)" }
    var api: String { "http://localhost:\(tasksPort)" }

    /// The environment variables of both daemons and of the command-line programs.
    var environment: [String: String] {
        let own = isService ? [:] : ["XDG_RUNTIME_DIR": folder.path("run")]
        return [
            "HOME": folder.path("home"), "TOKENBROKER_SOCKET": socket, "TZ": "UTC", "LC_ALL": "C.UTF-8",
            "SWIFT_BACKTRACE": "enable=no",
        ].merging(own) { $1 }.merging(more) { $1 }
    }

    /// Creates a machine whose `tokenbrokerd.yaml` ends with `lines`.
    ///
    /// If `isDurable` is `true`, the machine's folder is on a disk. Otherwise it is in memory if possible.
    init(
        configuration lines: [String] = [],
        environment more: [String: String] = [:],
        isService: Bool = false,
        hasOwnClock: Bool = false,
        movesBootClock: Bool = false,
        isDurable: Bool = false
    ) throws {
        self.more = more
        self.isService = isService
        folder = try TemporaryFolder(isDurable: isDurable)
        let clock = folder.path("wall-clock")
        wallClock = hasOwnClock ? try WallClock(file: clock, movesBootClock: movesBootClock) : nil
        for name in ["etc", "run", "home"] { try makeFolder(name) }
        try FileManager.default.copyItem(atPath: ProjectFolder.path + "/policies", toPath: policies)
        try write(
            [
                "issuerBase: \(base)",
                "listen: [\"127.0.0.1:\(port)\", \"[::1]:\(port)\"]",
                "log: {level: debug, format: text}",
            ] + (lines.contains { $0.hasPrefix("apis:") } ? [] : apis) + lines,
            to: "etc/tokenbrokerd.yaml"
        )
        try write(
            [
                "listen: [\"127.0.0.1:\(tasksPort)\", \"[::1]:\(tasksPort)\"]",
                "trust:",
                "  - {authority: \"unix:\(folder.path("run/authority.sock"))\", base: \"\(base)\", tenant: local, "
                    + "policies: all, audiences: [tasks], scopes: required}",
                "log: {level: debug, format: text}",
            ],
            to: "etc/tasksd.yaml"
        )
        try write(["api: \(api)"], to: "etc/tasks.yaml")
    }

    func write(_ lines: [String], to name: String) throws {
        try (lines.joined(separator: "\n") + "\n").write(toFile: folder.path(name), atomically: true, encoding: .utf8)
    }

    /// Replaces a string that a policy file must contain.
    func replace(_ text: String, with other: String, in name: String) throws {
        let path = policies + "/" + name
        let before = try String(contentsOfFile: path, encoding: .utf8)
        let after = before.replacing(text, with: other)
        try #require(after != before || text == other, "\(name) has no \(text)")
        try after.write(toFile: path, atomically: true, encoding: .utf8)
    }

    /// The configuration lines that allow tokens for the tasks API.
    var apis: [String] {
        let scopes =
            "{tasks.read: Read your tasks, tasks.write: Change your tasks, accessRestricted: See your balance, "
            + "transferPrivilege: Move money}"
        return ["apis:", "  tasks: {audience: tasks, origins: [\"\(api)\"], scopes: \(scopes)}"]
    }

    /// Adds an origin to which tokens for the tasks API may be sent.
    ///
    /// Call this method before the daemon starts.
    func allow(origin: String) throws {
        let before = try String(contentsOfFile: configuration, encoding: .utf8)
        let after = before.replacing("origins: [", with: "origins: [\"\(origin)\", ", maxReplacements: 1)
        try #require(after != before, "the configuration has no origins")
        try after.write(toFile: configuration, atomically: true, encoding: .utf8)
    }

    private func makeFolder(_ name: String) throws {
        try FileManager.default.createDirectory(
            atPath: folder.path(name),
            withIntermediateDirectories: true,
            attributes: [.posixPermissions: 0o700]
        )
    }

    /// The command-line arguments of `tokenbrokerd`.
    var arguments: [String] {
        ["--config", configuration, "--policies", policies, "--state-directory", state, "--socket", socket]
    }

    /// Starts `tokenbrokerd` and waits until it is ready.
    ///
    /// To wait for later notifications, a test passes its own socket as `notify`.
    func startBroker(
        _ extra: [String] = [],
        notify: NotifySocket? = nil,
        disk: ReadOnlyDisk? = nil
    ) throws -> RunningProgram {
        try start("tokenbrokerd", arguments + extra, notify, disk)
    }

    /// Starts `tasksd`, optionally with another clock, and waits until it is ready.
    func startTasks(clock: WallClock? = nil) throws -> RunningProgram {
        let arguments = ["--config", folder.path("etc/tasksd.yaml"), "--state-directory", folder.path("tasksd")]
        return try start("tasksd", arguments, clock: clock)
    }

    private func start(
        _ name: String,
        _ arguments: [String],
        _ notify: NotifySocket? = nil,
        _ disk: ReadOnlyDisk? = nil,
        clock: WallClock? = nil
    ) throws -> RunningProgram {
        let clock = clock ?? wallClock
        let notify = notify ?? NotifySocket(folder.path("run/notify-\(name)"))
        var environment = environment
        environment["NOTIFY_SOCKET"] = notify.path
        environment.merge(disk?.environment ?? [:]) { $1 }
        let built = BuiltProgram(name)
        let program =
            try clock?.start(built, arguments, environment)
            ?? built.start(arguments, environment: environment)
        defer { clock?.tidy(after: program) }
        guard notify.receives("READY=1") else {
            program.signal(9)
            program.wait()
            throw NotReady(name: name, errors: program.errors())
        }
        return program
    }

    /// Runs `tokenbrokerd` until it ends by itself.
    func runBroker(_ extra: [String] = []) throws -> BuiltProgram.Outcome {
        try BuiltProgram("tokenbrokerd").run(
            arguments + extra,
            environment: environment
        )
    }

    /// Runs `tasksd` until it ends by itself.
    func runTasks() throws -> BuiltProgram.Outcome {
        try BuiltProgram("tasksd").run(
            ["--config", folder.path("etc/tasksd.yaml"), "--state-directory", folder.path("tasksd")],
            environment: environment
        )
    }

    func tokenbroker(
        _ arguments: [String],
        input: String = "",
        environment more: [String: String] = [:]
    ) throws -> BuiltProgram.Outcome {
        try BuiltProgram("tokenbroker").run(arguments, input: input, environment: environment.merging(more) { $1 })
    }

    func tasks(
        _ arguments: [String],
        input: String = "",
        environment more: [String: String] = [:]
    ) throws -> BuiltProgram.Outcome {
        try BuiltProgram("tasks").run(
            arguments.first.map { [$0] + tasksArguments + arguments.dropFirst() } ?? [],
            input: input,
            environment: environment.merging(more) { $1 }
        )
    }

    /// The options that tell `tasks` where its configuration and its data are.
    var tasksArguments: [String] {
        ["--config", folder.path("etc/tasks.yaml"), "--data-directory", folder.path("data")]
    }

    /// Returns a JSON-RPC connection to the daemon's socket.
    func connect() throws -> Connection { try Connection(LineSocket(socket)) }

    /// Waits for a mail to `address`, and returns the code in it.
    func code(for address: String) throws -> String {
        try #require(codeIfMailed(to: address, within: 30_000), "no mail to \(address)")
    }

    /// Waits for a mail to `address`, and returns the code in it, or `nil` if no code arrives in time.
    func codeIfMailed(to address: String, within milliseconds: Int) -> String? {
        var found: String?
        _ = FolderWatch(outbox).file(within: milliseconds) { _, content in
            guard content.contains(address) else { return false }
            let lines = content.split(whereSeparator: \.isNewline)
            found = lines.last { $0.count == 6 && $0.allSatisfy(\.isNumber) }.map(String.init)
            return found != nil
        }
        return found
    }
}

/// A daemon ended or timed out before it was ready.
struct NotReady: Error {
    let name: String
    let errors: String
}
