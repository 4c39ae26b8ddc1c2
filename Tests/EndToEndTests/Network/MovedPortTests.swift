import Foundation
import NIOHTTP1
import OAuth
import TestSupport
import Testing

/// End-to-end tests of an authority that moves to another port.
@Suite(.timeLimit(.minutes(5)))
struct MovedPortTests {
    @Test("tasksd without `trust` follows the authority to another port, and every user keeps their tasks") func moves()
        throws
    {
        let machine = try Machine()
        let lines = ["listen: [\"127.0.0.1:\(machine.tasksPort)\"]", "log: {level: debug, format: text}"]
        try machine.write(lines, to: "etc/tasksd.yaml")
        var broker = try machine.startBroker()
        let api = try machine.startTasks()
        try Person.random().signUp(try machine.connect(), on: machine)
        #expect(try machine.tasks(["add", "milk"]).status == 0)

        broker.signal(SIGTERM)
        #expect(broker.wait() == 0)
        let port = freePort()
        let moved = [
            "issuerBase: http://localhost:\(port)", "listen: [\"127.0.0.1:\(port)\", \"[::1]:\(port)\"]",
            "log: {level: debug, format: text}",
        ]
        try machine.write(moved + machine.apis, to: "etc/tokenbrokerd.yaml")
        broker = try machine.startBroker()
        let renewed = try machine.tokenbroker(["token", "--scope", "tasks.read", "--force-refresh"])
        #expect(renewed.status == 0, "\(renewed.errors)")
        let listed = try machine.tasks(["list"])
        #expect(listed.status == 0 && listed.output.contains("milk"), "\(listed.errors)")

        let doctor = try machine.tokenbroker(["doctor", "--config", machine.configuration])
        #expect(doctor.output.contains("ok: The service at 127.0.0.1:\(port) is ready."), "\(doctor.output)")
        for daemon in [api, broker] {
            daemon.signal(SIGTERM)
            #expect(daemon.wait() == 0)
        }
    }

    @Test("a refused reload logs the problems, and a relative path is relative to its file")
    func sentences() throws {
        let machine = try Machine()
        let notify = NotifySocket(machine.folder.path("run/notify"))
        let daemon = try machine.startBroker(notify: notify)
        try machine.write(["tennant: local"], to: "etc/tokenbrokerd.yaml")
        daemon.signal(SIGHUP)
        #expect(notify.receives("READY=1"))
        daemon.signal(SIGTERM)
        #expect(daemon.wait() == 0)
        #expect(daemon.errors().contains("unknown key `tennant`") && !daemon.errors().contains("StartFailure("))

        let tls = "tls: {certificate: c.pem, privateKeyFile: k.pem}"
        try machine.write(["issuerBase: https://localhost:\(machine.port)", tls], to: "etc/c.yaml")
        let script = "cd \"$1\" && exec \"$2\" --check --config c.yaml"
        let outcome = try BuiltProgram(path: "/bin/sh").run(
            ["-c", script, "sh", machine.folder.path("etc"), BuiltProgram("tokenbrokerd").url.path],
            environment: machine.environment
        )
        #expect(outcome.errors.contains("\(machine.folder.path("etc"))/c.pem cannot be read"), "\(outcome.errors)")
    }

    @Test("the log names the issuer of a refused token and the trusted issuers") func issuers()
        async throws
    {
        let machine = try Machine()
        let api = try machine.startTasks()
        let header: JSONValue = ["alg": "ES256", "typ": "at+jwt", "kid": "k"]
        let claims: JSONValue = [
            "iss": "https://elsewhere.example/local/b2c_1_sign_in/v2.0", "aud": "tasks", "sub": "x",
            "client_id": "tasks-cli", "jti": "x", "iat": 1, "exp": 9_000_000_000,
        ]
        let parts = [header.bytes, claims.bytes, [UInt8](repeating: 1, count: 64)]
        let token = parts.map { Base64URL.encode($0) }.joined(separator: ".")
        let answer = try await WebAnswer.to(.GET, "\(machine.api)/tables/todoitem", token: token)
        #expect(answer.status == 401 && !answer.text.contains("elsewhere"), "\(answer.text)")
        api.signal(SIGTERM)
        #expect(api.wait() == 0)
        let told =
            "https://elsewhere.example/local/b2c_1_sign_in/v2.0 is not a trusted issuer: \(machine.base)/local/*/v2.0"
        #expect(api.errors().contains(told), "\(api.errors())")
    }
}
