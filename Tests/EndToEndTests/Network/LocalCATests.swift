import Foundation
import OAuth
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

    @Test("every program connects to these certificates if SSL_CERT_FILE names the CAs, and not without it")
    func programs() async throws {
        let folder = try TemporaryFolder()
        let bundle = folder.path("ca.pem")
        let machine = try Machine(environment: ["SSL_CERT_FILE": bundle])
        let (base, api) = ("https://localhost:\(machine.port)", "https://localhost:\(machine.tasksPort)")
        let log = "log: {level: info, format: text}"
        try machine.write(
            [
                "tls: localCA", "issuerBase: \(base)", "listen: [\"127.0.0.1:\(machine.port)\"]", log,
                "clients: {ours: {type: public, apis: [tasks], redirectURIs: [\"http://localhost/cb\"]}}",
            ] + machine.apis,
            to: "etc/tokenbrokerd.yaml"
        )
        try machine.allow(origin: api)
        try machine.write(
            [
                "tls: localCA", "listen: [\"127.0.0.1:\(machine.tasksPort)\"]", log,
                "trust: [{authority: \"\(base)\", base: \"\(base)\"}]",
            ],
            to: "etc/tasksd.yaml"
        )
        try machine.write(["api: \(api)"], to: "etc/tasks.yaml")
        var daemons = [try machine.startBroker()]
        let roots = [machine.state, machine.folder.path("tasksd")].map { "\($0)/local-ca.pem" }
        try FileManager.default.copyItem(atPath: roots[0], toPath: bundle)
        daemons.append(try machine.startTasks())
        let both = try roots.map { try String(contentsOfFile: $0, encoding: .utf8) }.joined()
        try both.write(toFile: bundle, atomically: true, encoding: .utf8)
        try machine.signUp(.random())

        for (isTrusted, environment) in [(false, ["SSL_CERT_FILE": ""]), (true, [:])] {
            #expect(try machine.tasks(["add", "milk"], environment: environment).status == 0, "an offline task")
            let sync = try machine.tasks(["sync"], environment: environment)
            #expect((sync.status == 0) == isTrusted, "\(sync)")
            let list = "\(api)/tables/todoitem"
            let request = try machine.tokenbroker(["request", "--no-prompt", list], environment: environment)
            #expect((request.status == 0) == isTrusted, "\(request)")
        }
        for isTrusted in [false, true] {
            let issuer = "\(base)/local/b2c_1_sign_in/v2.0"
            let authority = "contoso: {kind: oidc, url: \"\(issuer)\", clientId: ours, scopes: [tasks.read]}"
            let other = try Machine(
                configuration: ["authorities: {\(authority)}"],
                environment: isTrusted ? ["SSL_CERT_FILE": bundle] : [:]
            )
            let daemon = try other.startBroker()
            let started = try other.connect().call("token.acquire", ["policy": "contoso", "scopes": ["tasks.read"]])
            var browser = WebBrowser()
            let page = try await browser.open(try #require(started["flow"]?["browser"]?["url"]?.string, "\(started)"))
            #expect((page.status < 400) == isTrusted, "\(page.status) \(page.text)")
            let doctor = try other.tokenbroker([
                "doctor", "--config", other.configuration, "--policies", other.policies,
            ])
            let finding = "ok: The provider contoso responds with valid metadata."
            #expect(doctor.output.contains(finding) == isTrusted, "\(doctor.output)")
            daemon.signal(SIGTERM)
            #expect(daemon.wait() == 0)
        }
        for daemon in daemons {
            daemon.signal(SIGTERM)
            #expect(daemon.wait() == 0)
        }
    }
}
