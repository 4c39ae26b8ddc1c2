import AsyncHTTPClient
import Foundation
import NIOCore
import NIOHTTP1
import OAuth
import TestSupport
import Testing

/// Tests of daemons whose sockets belong to another network namespace, so that local clients' users are unknown.
@Suite(.timeLimit(.minutes(3)))
struct PeerLookUpTests {
    /// A Python script that opens a daemon's socket as a service manager does, and starts the daemon in a separate
    /// network namespace.
    private static let apart = """
        import ctypes, os, socket, sys
        name, port = sys.argv[1], int(sys.argv[2])
        listener = socket.create_server(("127.0.0.1", port))
        os.dup2(listener.fileno(), 3)
        os.set_inheritable(3, True)
        if ctypes.CDLL(None).unshare(0x40000000) != 0:
            sys.exit("no network namespace")
        os.environ.update(LISTEN_PID=str(os.getpid()), LISTEN_FDS="1", LISTEN_FDNAMES=name)
        os.execv(sys.argv[3], sys.argv[3:])
        """

    private func start(
        _ program: String,
        _ machine: Machine,
        _ arguments: [String],
        name: String,
        port: Int
    ) throws
        -> RunningProgram
    {
        let notify = NotifySocket(machine.folder.path("run/notify-\(program)"))
        let daemon = try BuiltProgram(path: "/usr/bin/python3").start(
            ["-c", Self.apart, name, "\(port)", BuiltProgram(program).url.path] + arguments,
            environment: machine.environment.merging(["NOTIFY_SOCKET": notify.path]) { $1 }
        )
        try #require(notify.receives("READY=1"), "\(daemon.errors())")
        return daemon
    }

    private func ready(_ base: String) async throws -> JSONValue {
        let response = try await HTTPClient.forTests.execute(
            HTTPClientRequest(url: base + "/readyz"),
            timeout: .seconds(20)
        )
        #expect(response.status == .ok)
        return try StrictJSON.parse(try await response.body.collect(upTo: 1 << 16).readableBytesView)
    }

    @Test("the daemons log a warning, report it at /readyz and in doctor, and serve") func apart() async throws {
        try requireRoot("makes a network namespace")
        let machine = try Machine()
        let broker = try start("tokenbrokerd", machine, machine.arguments, name: "http", port: machine.port)
        let files = [
            "--config", machine.folder.path("etc/tasksd.yaml"), "--state-directory", machine.folder.path("tasksd"),
        ]
        let tasks = try start("tasksd", machine, files, name: "tasks", port: machine.tasksPort)
        for (daemon, base) in [(broker, machine.base), (tasks, machine.api)] {
            #expect(daemon.errors().contains("users of local clients unknown"), "\(daemon.errors())")
            let answer = try await ready(base)
            #expect(answer["status"]?.string == "ready")
            #expect(answer["peers"]?.string == "the users of local clients cannot be looked up")
        }
        let doctor = try machine.tokenbroker(["doctor", "--config", machine.configuration])
        #expect(
            doctor.output.contains("note: The daemon at \(machine.folder.path("run/authority.sock")) cannot determine"),
            "\(doctor.output)"
        )
        for daemon in [broker, tasks] {
            daemon.signal(15)
            #expect(daemon.wait() == 0)
        }
    }

    @Test("daemons in the network namespace of their sockets report no problem") func together() async throws {
        let machine = try Machine()
        let broker = try machine.startBroker()
        let tasks = try machine.startTasks()
        for (daemon, base) in [(broker, machine.base), (tasks, machine.api)] {
            #expect(try !daemon.log().contains("looked up"), "\(daemon.errors())")
            #expect(try await ready(base)["peers"] == nil)
            daemon.signal(15)
            #expect(daemon.wait() == 0)
        }
    }
}
