import Foundation
import Glibc
import TestSupport
import Testing

/// Tests of a per-user daemon and its clients without `XDG_RUNTIME_DIR`, as after `su -` or in a cron job.
@Suite(.timeLimit(.minutes(3)))
struct RuntimeDirectoryTests {
    /// Uids that no other process on the machine uses.
    private static let (owner, other): (UInt32, UInt32) = (54_322, 54_323)

    /// A Python script that starts a program as another user.
    private static let script = """
        import os, sys
        uid = int(sys.argv[1])
        os.setgroups([])
        os.setresgid(uid, uid, uid)
        os.setresuid(uid, uid, uid)
        os.execv(sys.argv[2], sys.argv[2:])
        """

    private let machine: Machine
    private let python = BuiltProgram(path: "/usr/bin/python3")

    init() throws {
        try requireRoot("becomes another user")
        machine = try Machine()
    }

    private var environment: [String: String] {
        ["HOME": machine.folder.path("home"), "LC_ALL": "C.UTF-8", "SWIFT_BACKTRACE": "enable=no"]
    }

    /// The arguments of `tokenbrokerd`, without a socket.
    private var arguments: [String] {
        ["--config", machine.configuration, "--policies", machine.policies, "--state-directory", machine.state]
    }

    private func command(_ program: String, _ arguments: [String], as uid: UInt32) -> [String] {
        ["-c", Self.script, "\(uid)", BuiltProgram(program).url.path] + arguments
    }

    private func run(_ program: String, _ arguments: [String], as uid: UInt32) throws -> BuiltProgram.Outcome {
        try python.run(command(program, arguments, as: uid), environment: environment)
    }

    private func give(to uid: UInt32) throws {
        let outcome = try BuiltProgram(path: "/bin/chown").run(["-R", "\(uid):\(uid)", machine.folder.url.path])
        try #require(outcome.status == 0, "\(outcome.errors)")
    }

    @Test("a daemon and its clients use the same socket in /run/user/UID") func same() throws {
        let directory = "/run/user/\(Self.owner)"
        try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(atPath: directory) }
        try #require(chown(directory, Self.owner, Self.owner) == 0 && chmod(directory, 0o700) == 0)
        let notify = NotifySocket(machine.folder.path("run/notify"))
        try give(to: Self.owner)
        let daemon = try python.start(
            command("tokenbrokerd", arguments, as: Self.owner),
            environment: environment.merging(["NOTIFY_SOCKET": notify.path]) { $1 }
        )
        try #require(notify.receives("READY=1"), "\(daemon.errors())")
        #expect(FileManager.default.fileExists(atPath: directory + "/tokenbroker/tokenbroker.sock"))
        let status = try run("tokenbroker", ["status"], as: Self.owner)
        #expect(status.status == 0, "\(status.errors)")
        daemon.signal(SIGTERM)
        #expect(daemon.wait() == 0)
    }

    @Test("without that directory, the daemon and its clients name the variable and what to do") func missing() throws {
        try give(to: Self.other)
        let folder = "/run/user/\(Self.other)/tokenbroker"
        let daemon = try run("tokenbrokerd", arguments, as: Self.other)
        #expect(daemon.status == 78)
        let message = "The directory \(folder) for the socket cannot be created: No such file or directory."
        #expect(daemon.errors.contains(message + " Set XDG_RUNTIME_DIR to "), "\(daemon.errors)")
        let client = try run("tokenbroker", ["status"], as: Self.other)
        #expect(client.status == 69 && client.errors.contains("nothing is listening on \(folder)/"), "\(client.errors)")
        #expect(client.errors.contains("set XDG_RUNTIME_DIR to") && client.errors.contains("TOKENBROKER_SOCKET"))
        let doctor = try run("tokenbroker", ["doctor"], as: Self.other)
        #expect(doctor.output.contains("note: XDG_RUNTIME_DIR is not set"), "\(doctor.output)")
    }
}
