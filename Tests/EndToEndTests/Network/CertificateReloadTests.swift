import Foundation
import TestSupport
import Testing

/// End-to-end tests of certificate files that are replaced while the daemons run.
@Suite(.timeLimit(.minutes(5)))
struct CertificateReloadTests {
    private struct Daemon {
        let program: RunningProgram
        let said: NotifySocket
        let port: Int

        /// Makes the daemon reload its files, and waits until the reload has ended.
        func reload() {
            program.signal(SIGHUP)
            #expect(said.receives("READY=1"), "\(program.errors())")
        }
    }

    @Test("both daemons present a replaced certificate after SIGHUP, and keep the old one if the file has none")
    func reload() throws {
        let machine = try Machine()
        let files = try LocalCertificate.write(to: machine.folder)
        try machine.write([LocalCertificate.certificate], to: "first.pem")
        try machine.write([LocalCertificate.renewedCertificate], to: "second.pem")
        let common = [
            "tls: {certificate: \"\(files.certificate)\", privateKeyFile: \"\(files.privateKey)\"}",
            "log: {level: info, format: text}",
        ]
        let base = "issuerBase: https://localhost:\(machine.port)"
        let listen = "listen: [\"127.0.0.1:\(machine.port)\"]"
        try machine.write([base, listen] + common, to: "etc/tokenbrokerd.yaml")
        try machine.write(["listen: [\"127.0.0.1:\(machine.tasksPort)\"]"] + common, to: "etc/tasksd.yaml")
        let daemons = [try startBroker(on: machine), try startTasks(on: machine)]
        func expectFirst(_ isFirst: Bool) throws {
            for daemon in daemons {
                #expect(try believes("first.pem", daemon, on: machine) == isFirst)
                #expect(try believes("second.pem", daemon, on: machine) == !isFirst)
            }
        }
        try expectFirst(true)
        try LocalCertificate.renew(in: machine.folder)
        try expectFirst(true)
        for daemon in daemons { daemon.reload() }
        try expectFirst(false)
        try machine.write(["nothing"], to: "c.pem")
        for daemon in daemons {
            daemon.reload()
            let log = daemon.program.errors()
            #expect(log.contains("The certificate \(files.certificate) and the private key"), "\(log)")
        }
        try expectFirst(false)
        for daemon in daemons {
            daemon.program.signal(SIGTERM)
            #expect(daemon.program.wait() == 0)
        }
    }

    @Test("a certificate or a key that cannot be used ends the start of both daemons, with the paths of both files")
    func unusable() throws {
        let machine = try Machine()
        let files = try LocalCertificate.write(to: machine.folder)
        let key = try String(contentsOfFile: files.privateKey, encoding: .utf8)
        let tls = "tls: {certificate: \"\(files.certificate)\", privateKeyFile: \"\(files.privateKey)\"}"
        let base = "issuerBase: https://localhost:\(machine.port)"
        let listen = "listen: [\"127.0.0.1:\(machine.port)\"]"
        try machine.write([base, listen, tls], to: "etc/tokenbrokerd.yaml")
        try machine.write(["listen: [\"127.0.0.1:\(machine.tasksPort)\"]", tls], to: "etc/tasksd.yaml")
        let paths = "The certificate \(files.certificate) and the private key \(files.privateKey) cannot be used: "
        for (certificate, key, fault) in [
            (LocalCertificate.certificate, "nothing", paths + "no unencrypted private key in PEM can be read."),
            ("nothing", key, paths + "no certificate in PEM can be read."),
            (LocalCertificate.renewedCertificate, key, paths + "the private key does not belong to the certificate."),
            (LocalCertificate.certificate, "\u{FEFF}\(key)", "\(files.privateKey) begins with a byte order mark"),
            ("\u{FEFF}\(LocalCertificate.certificate)", key, "\(files.certificate) begins with a byte order mark"),
        ] {
            try machine.write([certificate], to: "c.pem")
            try machine.write([key], to: "k.pem")
            let tasks = [
                "--config", machine.folder.path("etc/tasksd.yaml"), "--state-directory", machine.folder.path("tasksd"),
            ]
            for ended in [
                try machine.runBroker(), try BuiltProgram("tasksd").run(tasks, environment: machine.environment),
            ] {
                #expect(ended.status == 78 && ended.errors.contains(fault), "\(ended.status) \(ended.errors)")
            }
        }
    }

    private func startBroker(on machine: Machine) throws -> Daemon {
        let said = NotifySocket(machine.folder.path("run/n1"))
        return Daemon(program: try machine.startBroker(notify: said), said: said, port: machine.port)
    }

    private func startTasks(on machine: Machine) throws -> Daemon {
        let said = NotifySocket(machine.folder.path("run/n2"))
        let arguments = [
            "--config", machine.folder.path("etc/tasksd.yaml"), "--state-directory", machine.folder.path("tasksd"),
        ]
        let environment = machine.environment.merging(["NOTIFY_SOCKET": said.path]) { $1 }
        let program = try BuiltProgram("tasksd").start(arguments, environment: environment)
        guard said.receives("READY=1") else { throw NotReady(name: "tasksd", errors: program.errors()) }
        return Daemon(program: program, said: said, port: machine.tasksPort)
    }

    /// Returns whether a client that trusts only `certificate` can connect to the daemon.
    private func believes(_ certificate: String, _ daemon: Daemon, on machine: Machine) throws -> Bool {
        let outcome = try BuiltProgram(path: "/usr/bin/curl").run(
            [
                "--silent", "--show-error", "--max-time", "20", "--cacert", machine.folder.path(certificate),
                "https://localhost:\(daemon.port)/healthz",
            ],
            environment: machine.environment
        )
        // curl exits with 60 if it does not trust the daemon's certificate.
        #expect([0, 60].contains(outcome.status), "\(outcome.errors)")
        return outcome.status == 0
    }
}
