import Foundation
import TestSupport
import Testing

/// End-to-end tests of the setting `tls: localCA` in both daemons.
@Suite(.timeLimit(.minutes(5)))
struct LocalCATests {
    private func curl(_ words: String..., on machine: Machine) throws -> BuiltProgram.Outcome {
        try BuiltProgram(path: "/usr/bin/curl").run(
            ["--silent", "--show-error", "--max-time", "20"] + words,
            environment: machine.environment
        )
    }

    @Test("both daemons serve https with their own certificates, name the CA, and keep it across a restart")
    func serve() throws {
        let machine = try Machine()
        let log = "log: {level: info, format: text}"
        let base = "https://localhost:\(machine.port)"
        let listen = "listen: [\"127.0.0.1:\(machine.port)\", \"[::1]:\(machine.port)\"]"
        try machine.write(["tls: localCA", "issuerBase: \(base)", listen, log], to: "etc/tokenbrokerd.yaml")
        try machine.write(
            ["tls: localCA", "listen: [\"127.0.0.1:\(machine.tasksPort)\"]", log],
            to: "etc/tasksd.yaml"
        )
        var roots: [String] = []
        for isFirst in [true, false] {
            let daemons = [try machine.startBroker(), try machine.startTasks()]
            for (root, port) in zip(roots, [machine.port, machine.tasksPort]) {
                let place = "https://localhost:\(port)/healthz"
                let trusted = try curl("--cacert", root, place, on: machine)
                #expect(trusted.status == 0, "\(trusted.errors)")
                #expect(try curl(place, on: machine).status == 60)
            }
            for daemon in daemons {
                daemon.signal(SIGTERM)
                #expect(daemon.wait() == 0)
            }
            let logs = daemons.map { $0.errors() }
            #expect(logs.allSatisfy { $0.contains("certutil -d sql:") == isFirst }, "\(logs)")
            let named = logs.compactMap { $0.firstMatch(of: /ca=(\S+local-ca\.pem)/).map { String($0.output.1) } }
            #expect(named.count == 2, "\(logs)")
            if !isFirst { #expect(named == roots) }
            roots = named
        }
    }
}
