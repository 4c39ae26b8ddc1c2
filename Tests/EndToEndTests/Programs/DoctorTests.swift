import Foundation
import Glibc
import TestSupport
import Testing

/// Tests of the report of `tokenbroker doctor` about machines with and without problems.
@Suite(.timeLimit(.minutes(3)))
struct DoctorTests {
    private func doctor(_ machine: Machine) throws -> BuiltProgram.Outcome {
        try machine.tokenbroker([
            "doctor", "--config", machine.configuration, "--policies", machine.policies, "--state-directory",
            machine.state,
        ])
    }

    @Test("on a working machine doctor reports each item as fine") func sound() throws {
        let machine = try Machine()
        let daemon = try machine.startBroker()
        let outcome = try doctor(machine)
        #expect(outcome.status == 0, "\(outcome.output)")
        for text in [
            "is listening on this socket", "The daemon responded in", "The policy b2c_1_sign_in is active.",
            "The configuration and the policies are valid.",
            "The service at 127.0.0.1:\(machine.port) is ready.", "The service at [::1]:\(machine.port) is ready.",
            "Only the owner can access", "authority-key contains a key", "cache-key contains a key", "MiB is free",
            "Mail goes to", "The clock shows", "The clock is not synchronized.", "The clock is synchronized.",
        ] where !text.contains("clock") || text == "The clock shows" {
            #expect(outcome.output.contains(text), "\(text): \(outcome.output)")
        }
        daemon.signal(SIGTERM)
        daemon.wait()
    }

    /// A problem that the test causes on a machine, and the words with which doctor must report it.
    struct Fault: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let says: [String]
        let make: @Sendable (Machine) throws -> Void
    }

    static let faults = [
        Fault(testDescription: "a key that others can read", says: ["Other users can read", "chmod 600"]) {
            chmod($0.state + "/authority-key", 0o644)
        },
        Fault(testDescription: "an invalid key", says: ["cache-key does not contain a key", "Restore the key"]) {
            try Data("short".utf8).write(to: URL(fileURLWithPath: $0.state + "/cache-key"))
        },
        Fault(
            testDescription: "a missing key",
            says: ["authority-key was not found", "Restore the key from"]
        ) {
            unlink($0.state + "/authority-key")
        },
        Fault(testDescription: "a folder that others can enter", says: ["Other users can access", "chmod 700"]) {
            chmod($0.state, 0o755)
        },
        Fault(
            testDescription: "a database that others can read",
            says: ["Other users can read", "cache.sqlite"]
        ) {
            chmod($0.state + "/cache.sqlite", 0o640)
        },
        Fault(testDescription: "a policy with an error", says: ["b2c_1_wrong.yaml:1", "tokenbrokerd --check"]) {
            try $0.write(["kind: nonsense"], to: "etc/policies/b2c_1_wrong.yaml")
        },
        Fault(
            testDescription: "a port without a listener",
            says: ["Nothing is listening on 127.0.0.1:9.", "ss -ltnp"]
        ) {
            let text = try String(contentsOfFile: $0.configuration, encoding: .utf8)
            try text.replacingOccurrences(of: "127.0.0.1:\($0.port)", with: "127.0.0.1:9")
                .write(toFile: $0.configuration, atomically: true, encoding: .utf8)
        },
    ]

    @Test("doctor reports each problem and how to fix it", arguments: faults) func wrong(_ fault: Fault) throws {
        let machine = try Machine()
        let daemon = try machine.startBroker()
        try fault.make(machine)
        let outcome = try doctor(machine)
        #expect(outcome.status == 1, "\(outcome.output)")
        for text in fault.says { #expect(outcome.output.contains(text), "\(outcome.output)") }
        daemon.signal(SIGTERM)
        daemon.wait()
    }

    @Test("doctor reports a port where another user listens, and does not call that process") func stranger() throws {
        let other = try OtherUserProcess()
        let port = try other.listen(at: "127.0.0.1")
        let outcome = try doctor(listeningAt: port)
        #expect(
            outcome.output.contains("port \(port) is not the daemon. It is owned by user 54321."),
            "\(outcome.output)"
        )
        try other.run("listener.settimeout(0)")
        try other.run("import select")
        #expect(try other.run("answer = select.select([listener], [], [], 0)[0]") == "[]")
    }

    @Test("a server that sends its response byte by byte does not delay doctor") func slow() throws {
        let server = try OtherUserProcess(0)
        let port = try server.listen(at: "127.0.0.1")
        try server.run("import threading")
        try server.run("drip = lambda caller: [(caller.send(b'H'), threading.Event().wait(0.5)) for _ in range(1000)]")
        try server.run("threading.Thread(target=lambda: drip(listener.accept()[0]), daemon=True).start()")
        let outcome = try doctor(listeningAt: port)
        #expect(
            outcome.output.contains(
                "The process that is listening on 127.0.0.1:\(port) does not appear to be the daemon."
            ),
            "\(outcome.output)"
        )
    }

    /// Runs doctor on a machine whose configuration names `port` instead of the daemon's own port.
    private func doctor(listeningAt port: UInt16) throws -> BuiltProgram.Outcome {
        let machine = try Machine()
        let daemon = try machine.startBroker()
        let text = try String(contentsOfFile: machine.configuration, encoding: .utf8)
        try text.replacingOccurrences(of: "127.0.0.1:\(machine.port)", with: "127.0.0.1:\(port)")
            .write(toFile: machine.configuration, atomically: true, encoding: .utf8)
        let outcome = try doctor(machine)
        #expect(outcome.status == 1, "\(outcome.output)")
        daemon.signal(SIGTERM)
        daemon.wait()
        return outcome
    }

    @Test("without the daemon's configuration doctor reports that, and checks no port") func elsewhere() throws {
        let machine = try Machine()
        let daemon = try machine.startBroker()
        let outcome = try machine.tokenbroker(["doctor", "--state-directory", machine.state])
        #expect(outcome.status == 0, "\(outcome.output)")
        #expect(outcome.output.contains("Specify the daemon's configuration with --config."), "\(outcome.output)")
        daemon.signal(SIGTERM)
        daemon.wait()
    }

    @Test("doctor reports mails that still wait for the configured mail system") func unsent() throws {
        let machine = try Machine(configuration: ["mail: {transport: sendmail, from: \"a@example.org\"}"])
        let daemon = try machine.startBroker()
        #expect(try doctor(machine).output.contains("ok: Messages waiting in \(machine.state)/mail to be sent: 0."))
        try Data().write(to: URL(fileURLWithPath: machine.state + "/mail/stuck.eml"))
        let outcome = try doctor(machine)
        #expect(outcome.output.contains("note: Messages waiting in \(machine.state)/mail to be sent: 1."))
        #expect(outcome.output.contains("tokenbroker-mail.path"))
        daemon.signal(SIGTERM)
        daemon.wait()
    }

    @Test("doctor reports a full disk") func disk() throws {
        let machine = try Machine()
        try FileManager.default.createDirectory(
            atPath: machine.state,
            withIntermediateDirectories: true,
            attributes: [.posixPermissions: 0o700]
        )
        try #require(
            mount("none", machine.state, "tmpfs", 0, "size=8m,mode=0700") == 0,
            "a small disk cannot be mounted: \(String(cString: strerror(errno))); this test needs root"
        )
        defer { umount2(machine.state, Int32(MNT_DETACH)) }
        let outcome = try doctor(machine)
        #expect(outcome.status == 69)
        #expect(outcome.output.contains("MiB is free on the file system that contains \(machine.state)"))
        #expect(outcome.output.contains("Free some space"))
    }
}
