import Foundation
import TestSupport
import Testing

/// Tests of the programs in a network namespace without IPv6 addresses, as in many containers.
@Suite(.timeLimit(.minutes(5)))
struct NoIPv6Tests {
    /// A Python script that starts a program without `::1`, in a new network namespace or in that of a process.
    private static let script = """
        import ctypes, fcntl, os, socket, struct, sys
        libc, network = ctypes.CDLL(None), 0x40000000
        if sys.argv[1] == "new":
            if libc.unshare(network) != 0:
                sys.exit("no network namespace")
            fcntl.ioctl(socket.socket(), 0x8914, struct.pack("16sH14x", b"lo", 0x41))
            try:
                request = struct.pack("16sIi", b"\\0" * 15 + b"\\1", 128, socket.if_nametoindex("lo"))
                fcntl.ioctl(socket.socket(socket.AF_INET6), 0x8936, request)
            except OSError:
                pass
        elif libc.setns(os.open(f"/proc/{sys.argv[1]}/ns/net", os.O_RDONLY), network) != 0:
            sys.exit("the network namespace cannot be entered")
        os.execv(sys.argv[2], sys.argv[2:])
        """

    private let machine: Machine

    init() throws {
        try requireRoot("makes a network namespace")
        machine = try Machine()
    }

    private var tasksFiles: [String] {
        ["--config", machine.folder.path("etc/tasksd.yaml"), "--state-directory", machine.folder.path("tasksd")]
    }

    /// Returns the arguments of Python that start a program in a namespace, which is new if `process` is `nil`.
    private func command(_ program: String, _ arguments: [String], of process: RunningProgram? = nil) -> [String] {
        ["-c", Self.script, process.map { "\($0.pid)" } ?? "new", program] + arguments
    }

    private func start(_ program: String, _ arguments: [String]) throws -> RunningProgram {
        let notify = NotifySocket(machine.folder.path("run/notify-\(program)"))
        let daemon = try BuiltProgram(path: "/usr/bin/python3").start(
            command(BuiltProgram(program).url.path, arguments),
            environment: machine.environment.merging(["NOTIFY_SOCKET": notify.path]) { $1 }
        )
        try #require(notify.receives("READY=1"), "\(daemon.errors())")
        return daemon
    }

    private func run(
        _ program: String,
        _ arguments: [String],
        of process: RunningProgram? = nil
    ) throws -> BuiltProgram.Outcome {
        try BuiltProgram(path: "/usr/bin/python3").run(
            command(program, arguments, of: process),
            environment: machine.environment,
            within: 100
        )
    }

    @Test(
        "with the default `listen`, written or not, both daemons leave out [::1] with a notice and serve 127.0.0.1",
        arguments: [false, true]
    )
    func standard(isWritten: Bool) throws {
        for (port, file) in [(8420, "etc/tokenbrokerd.yaml"), (3000, "etc/tasksd.yaml")] {
            let listen = isWritten ? ["listen: [\"127.0.0.1:\(port)\", \"[::1]:\(port)\"]"] : []
            try machine.write(["log: {level: debug, format: text}"] + listen, to: file)
        }
        let broker = try start("tokenbrokerd", machine.arguments)
        let tasks = try start("tasksd", tasksFiles)
        for (daemon, port) in [(broker, 8420), (tasks, 3000)] {
            let log = daemon.errors()
            let notice = "address left out, this machine does not have it address=[::1]:\(port)"
            #expect(log.contains(" notice ") && log.contains(notice), "\(log)")
            let python = "import socket; socket.create_connection(('127.0.0.1', \(port)), 20)"
            let call = try run("/usr/bin/python3", ["-c", python], of: daemon)
            #expect(call.status == 0, "\(call.errors)")
        }
        let doctor = try run(
            BuiltProgram("tokenbroker").url.path,
            ["doctor", "--config", machine.configuration, "--policies", machine.policies],
            of: broker
        )
        #expect(doctor.output.contains("The service at 127.0.0.1:8420 is ready."), "\(doctor.output)")
        #expect(!doctor.output.contains("[::1]"), "\(doctor.output)")
        for daemon in [broker, tasks] {
            daemon.signal(15)
            #expect(daemon.wait() == 0)
        }
    }

    @Test("another `listen` with an address that the machine does not have is refused by name") func written() throws {
        for (program, arguments, port) in [
            ("tokenbrokerd", machine.arguments, machine.port), ("tasksd", tasksFiles, machine.tasksPort),
        ] {
            let outcome = try run(BuiltProgram(program).url.path, arguments)
            #expect(outcome.status == 78, "\(outcome.errors)")
            let message = "cannot listen on [::1]:\(port): this machine does not have the address"
            #expect(outcome.errors.contains("\(program): error: \(message)"), "\(outcome.errors)")
        }
    }

    @Test("`policy try` needs only 127.0.0.1") func trial() throws {
        let answers = ["E-mail=trial@example.org", #"Password=@shown:password (Try\S+)"#]
        let terminal = [ProjectFolder.path + "/scripts/at-terminal"] + answers
        let policy = ["policy", "try", "\(machine.policies)/b2c_1_sign_in.yaml"]
        let done = try run("/usr/bin/python3", terminal + ["--", BuiltProgram("tokenbroker").url.path] + policy)
        #expect(done.status == 0 && done.output.contains("b2c_1_sign_in succeeded"), "\(done.output)\(done.errors)")
    }
}
