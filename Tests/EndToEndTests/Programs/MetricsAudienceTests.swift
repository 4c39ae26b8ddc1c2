import Foundation
import TestSupport
import Testing

/// Tests of which callers get a response from `/metrics` of both daemons.
@Suite(.timeLimit(.minutes(5)))
struct MetricsAudienceTests {
    /// Requests `/metrics` at a port, and returns the HTTP version and the status code of the response.
    private func answer(_ port: Int) async throws -> String {
        let client = try RawClient(port: port)
        client.send("GET /metrics HTTP/1.1\r\nHost: localhost:\(port)\r\nConnection: close\r\n\r\n")
        return String(await client.readToEnd().prefix(12))
    }

    @Test("metrics are also hidden behind a proxy that only `proxies` names") func proxies() async throws {
        let machine = try Machine(configuration: ["proxies: [\"192.0.2.1\"]"])
        let daemon = try machine.startBroker()
        #expect(try await answer(machine.port) == "HTTP/1.1 404")
        daemon.signal(15)
        #expect(daemon.wait() == 0, "\(daemon.errors())")
    }

    @Test("behind a proxy only `metrics.listen` serves metrics", arguments: [false, true])
    func proxy(_ isBehindProxy: Bool) async throws {
        let (one, other) = (freePort(), freePort())
        func lines(_ port: Int) -> [String] {
            (isBehindProxy ? ["behindProxy: true"] : []) + ["metrics: {listen: \"127.0.0.1:\(port)\"}"]
        }
        let machine = try Machine(configuration: lines(one))
        let tasksd = try String(contentsOfFile: machine.folder.path("etc/tasksd.yaml"), encoding: .utf8)
        try machine.write([tasksd] + lines(other), to: "etc/tasksd.yaml")
        let programs = [try machine.startTasks(), try machine.startBroker()]
        let own = isBehindProxy ? "HTTP/1.1 404" : "HTTP/1.1 200"
        #expect(try await [answer(machine.port), answer(machine.tasksPort)] == [own, own])
        #expect(try await [answer(one), answer(other)] == ["HTTP/1.1 200", "HTTP/1.1 200"])
        for program in programs {
            program.signal(15)
            #expect(program.wait() == 0, "\(program.errors())")
        }
    }
}
