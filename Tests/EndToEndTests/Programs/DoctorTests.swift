import Foundation
import Glibc
import TestSupport
import Testing

/// What `tokenbroker doctor` says of a machine with something wrong.
@Suite(.timeLimit(.minutes(3)))
struct DoctorTests {
    private func doctor(_ machine: Machine) throws -> BuiltProgram.Outcome {
        try machine.tokenbroker([
            "doctor", "--config", machine.configuration, "--policies", machine.policies, "--state-directory",
            machine.state,
        ])
    }

    @Test("of a sound machine it says that all is well, thing by thing") func sound() throws {
        let machine = try Machine()
        let daemon = try machine.startBroker()
        let outcome = try doctor(machine)
        #expect(outcome.status == 0, "\(outcome.output)")
        for text in [
            "listens", "the daemon answers", "policy b2c_1_sign_in is in force", "configuration and policies are valid",
            "127.0.0.1:\(machine.port) answers, and is ready", "[::1]:\(machine.port) answers, and is ready",
            "is its owner's alone", "authority-key holds a key", "cache-key holds a key", "MiB are free",
            "mail goes into", "the clock says", "keeps the clock right", "the clock is kept right",
        ] where !text.contains("clock") || text == "the clock says" {
            #expect(outcome.output.contains(text), "\(text): \(outcome.output)")
        }
        daemon.signal(SIGTERM)
        daemon.wait()
    }

    /// Something that is wrong with a machine.
    struct Fault: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let says: [String]
        let make: @Sendable (Machine) throws -> Void
    }

    static let faults = [
        Fault(testDescription: "a key that others can read", says: ["others than its owner can read", "chmod 600"]) {
            chmod($0.state + "/authority-key", 0o644)
        },
        Fault(testDescription: "a key that is none", says: ["cache-key holds no key", "put the key back"]) {
            try Data("short".utf8).write(to: URL(fileURLWithPath: $0.state + "/cache-key"))
        },
        Fault(testDescription: "a key that is gone", says: ["authority-key is not at", "put it back"]) {
            unlink($0.state + "/authority-key")
        },
        Fault(testDescription: "a folder that others can enter", says: ["others than its owner can look", "chmod 700"])
        {
            chmod($0.state, 0o755)
        },
        Fault(
            testDescription: "a database that others can read",
            says: ["others than its owner can read", "cache.sqlite"]
        ) {
            chmod($0.state + "/cache.sqlite", 0o640)
        },
        Fault(testDescription: "a policy with a fault", says: ["b2c_1_wrong.yaml:1", "tokenbrokerd --check"]) {
            try $0.write(["kind: nonsense"], to: "etc/policies/b2c_1_wrong.yaml")
        },
        Fault(testDescription: "a port at which nobody listens", says: ["nobody listens at 127.0.0.1:9", "ss -ltnp"]) {
            let text = try String(contentsOfFile: $0.configuration, encoding: .utf8)
            try text.replacingOccurrences(of: "127.0.0.1:\($0.port)", with: "127.0.0.1:9")
                .write(toFile: $0.configuration, atomically: true, encoding: .utf8)
        },
    ]

    @Test("it says what is wrong, and what to do", arguments: faults) func wrong(_ fault: Fault) throws {
        let machine = try Machine()
        let daemon = try machine.startBroker()
        try fault.make(machine)
        let outcome = try doctor(machine)
        #expect(outcome.status == 1, "\(outcome.output)")
        for text in fault.says { #expect(outcome.output.contains(text), "\(outcome.output)") }
        daemon.signal(SIGTERM)
        daemon.wait()
    }

    @Test("a port where another user listens is said, and that process is not asked") func stranger() throws {
        let other = try OtherUserProcess()
        let port = try other.listen(at: "127.0.0.1")
        let outcome = try doctor(listeningAt: port)
        #expect(outcome.output.contains("user 54321 listens at port \(port), not the daemon"), "\(outcome.output)")
        try other.run("listener.settimeout(0)")
        try other.run("import select")
        #expect(try other.run("answer = select.select([listener], [], [], 0)[0]") == "[]")
    }

    @Test("a server that sends its answer byte by byte does not delay it") func slow() throws {
        let server = try OtherUserProcess(0)
        let port = try server.listen(at: "127.0.0.1")
        try server.run("import threading")
        try server.run("drip = lambda caller: [(caller.send(b'H'), threading.Event().wait(0.5)) for _ in range(1000)]")
        try server.run("threading.Thread(target=lambda: drip(listener.accept()[0]), daemon=True).start()")
        let outcome = try doctor(listeningAt: port)
        #expect(
            outcome.output.contains("who listens at 127.0.0.1:\(port) does not answer as the daemon does"),
            "\(outcome.output)"
        )
    }

    /// What it says of a daemon whose configuration names another port.
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

    @Test("without the daemon's own configuration it says so, and looks at no port") func elsewhere() throws {
        let machine = try Machine()
        let daemon = try machine.startBroker()
        let outcome = try machine.tokenbroker(["doctor", "--state-directory", machine.state])
        #expect(outcome.status == 0, "\(outcome.output)")
        #expect(outcome.output.contains("name the daemon's by --config"), "\(outcome.output)")
        daemon.signal(SIGTERM)
        daemon.wait()
    }

    @Test("mails that nobody sends on are said where a mail system is to send them") func unsent() throws {
        let machine = try Machine(configuration: ["mail: {transport: sendmail, from: \"a@example.org\"}"])
        let daemon = try machine.startBroker()
        #expect(try doctor(machine).output.contains("ok: 0 mails wait in \(machine.state)/mail to be sent"))
        try Data().write(to: URL(fileURLWithPath: machine.state + "/mail/stuck.eml"))
        let outcome = try doctor(machine)
        #expect(outcome.output.contains("note: 1 mails wait") && outcome.output.contains("tokenbroker-mail.path"))
        daemon.signal(SIGTERM)
        daemon.wait()
    }

    @Test("a full disk is said") func disk() throws {
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
        #expect(outcome.output.contains("MiB are free for \(machine.state)") && outcome.output.contains("make room"))
    }
}
