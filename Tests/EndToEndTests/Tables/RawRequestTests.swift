import Foundation
import OAuth
import TestSupport
import Testing

/// Tests raw requests to each built daemon, as other programs may send them.
@Suite(.timeLimit(.minutes(5)))
struct RawRequestTests {
    enum Daemon: CaseIterable {
        case tokenbrokerd
        case tasksd
    }

    private struct Running {
        let program: RunningProgram
        let port: Int

        /// The value of the `Host` field that the daemon accepts.
        var host: String { "localhost:\(port)" }

        /// Sends a text, and returns everything that arrives until the connection closes.
        func answer(_ text: String, ends: Bool = false) async throws -> String {
            let client = try RawClient(port: port)
            client.send(text)
            if ends { client.finishSending() }
            return await client.readToEnd()
        }

        /// Returns a request with `Connection: close` and these header fields.
        func request(_ method: String, _ target: String, _ fields: [String] = [], _ body: String = "") -> String {
            let lines = ["\(method) \(target) HTTP/1.1", "Host: \(host)", "Connection: close"] + fields
            return lines.joined(separator: "\r\n") + "\r\n\r\n" + body
        }

        /// Sends a body to a path that accepts no body.
        ///
        /// Each daemon reads the body before it routes the request.
        func post(_ fields: [String], _ body: String = "", ends: Bool = false) async throws -> String {
            try await answer(request("POST", "/healthz", fields, body), ends: ends)
        }

        /// Stops the daemon, and expects that no request caused an internal error.
        func end() {
            program.signal(SIGTERM)
            #expect(program.wait() == 0)
            #expect(!program.errors().contains("request failed"), "\(program.errors())")
        }
    }

    private let machine: Machine

    init() throws {
        machine = try Machine()
    }

    private func start(_ daemon: Daemon) throws -> Running {
        switch daemon {
        case .tokenbrokerd: Running(program: try machine.startBroker(), port: machine.port)
        case .tasksd: Running(program: try machine.startTasks(), port: machine.tasksPort)
        }
    }

    @Test("two hosts, none, or a target of another host are 400, an unknown host 421", arguments: Daemon.allCases)
    func hosts(_ daemon: Daemon) async throws {
        let server = try start(daemon)
        let twice = try await server.answer(server.request("GET", "/healthz", ["Host: \(server.host)"]))
        #expect(twice.hasPrefix("HTTP/1.1 400"), "\(twice)")
        let other = try await server.answer(server.request("GET", "http://evil.test/healthz"))
        #expect(other.hasPrefix("HTTP/1.1 400"), "\(other)")
        let own = try await server.answer(server.request("GET", "http://\(server.host)/healthz"))
        #expect(own.hasPrefix("HTTP/1.1 200"), "\(own)")
        let none = try await server.answer("GET /healthz HTTP/1.1\r\nConnection: close\r\n\r\n")
        #expect(none.hasPrefix("HTTP/1.1 400"), "\(none)")
        let foreign = try await server.answer("GET /healthz HTTP/1.1\r\nHost: evil.test\r\nConnection: close\r\n\r\n")
        #expect(foreign.hasPrefix("HTTP/1.1 421"), "\(foreign)")
        server.end()
    }

    @Test("a malformed or truncated body is 400, an unknown transfer coding 501", arguments: Daemon.allCases)
    func bodies(_ daemon: Daemon) async throws {
        let server = try start(daemon)
        let malformed = [
            ("Transfer-Encoding: chunked", "zz\r\nabc\r\n0\r\n\r\n"),
            ("Transfer-Encoding: chunked", "5\r\nabc"), ("Content-Length: 10", "abc"),
            ("Transfer-Encoding: chunked", "3\r\nabcdef\r\n0\r\n\r\n"),
        ]
        for (field, body) in malformed {
            let answer = try await server.post([field], body, ends: true)
            #expect(answer.hasPrefix("HTTP/1.1 400"), "\(field) \(body): \(answer)")
        }
        let next = "GET /healthz HTTP/1.1\r\nHost: \(server.host)\r\n\r\n"
        for coding in ["gzip", "gzip, chunked", "identity", "xchunked"] {
            let answer = try await server.post(["Transfer-Encoding: \(coding)"], "3\r\nabc\r\n0\r\n\r\n")
            #expect(answer.hasPrefix("HTTP/1.1 501"), "\(coding): \(answer)")
            let head = "POST /healthz HTTP/1.1\r\nHost: \(server.host)\r\nTransfer-Encoding: \(coding)\r\n\r\n"
            let only = try await server.answer(head + "0\r\n\r\n" + next)
            #expect(only.hasPrefix("HTTP/1.1 501") && only.lowercased().contains("connection: close"), "\(only)")
            #expect(only.components(separatedBy: "HTTP/1.1 ").count == 2, "\(coding): \(only)")
        }
        server.end()
    }

    @Test(
        "a body that is compressed or not UTF-8 is 415, and fields that are too large are 431 with a body",
        arguments: Daemon.allCases
    )
    func refused(_ daemon: Daemon) async throws {
        let server = try start(daemon)
        let compressed = try await server.post(["Content-Encoding: gzip", "Content-Length: 3"], "abc")
        #expect(compressed.hasPrefix("HTTP/1.1 415") && compressed.contains("Accept-Encoding: identity"))
        let plain = try await server.post(["Content-Encoding: identity", "Content-Length: 3"], "abc")
        #expect(plain.hasPrefix("HTTP/1.1 405"), "\(plain)")
        let latin = "Content-Type: application/json; charset=iso-8859-1"
        let foreign = try await server.post([latin, "Content-Length: 3"], "abc")
        #expect(foreign.hasPrefix("HTTP/1.1 415") && foreign.contains("the body must be UTF-8"), "\(foreign)")
        for fields in [["X-A: " + String(repeating: "a", count: 40_000)], Array(repeating: "X-A: a", count: 200)] {
            let answer = try await server.answer(server.request("GET", "/healthz", fields))
            #expect(answer.hasPrefix("HTTP/1.1 431"), "\(answer)")
            let body = answer.components(separatedBy: "\r\n\r\n").dropFirst().joined()
            #expect(try StrictJSON.parse(Array(body.utf8))["error"]?.string != nil, "\(answer)")
        }
        server.end()
    }

    @Test("a client that waits for 100 Continue gets it, and an unknown expectation is 417", arguments: Daemon.allCases)
    func expectations(_ daemon: Daemon) async throws {
        let server = try start(daemon)
        let client = try RawClient(port: server.port)
        client.send(server.request("POST", "/healthz", ["Expect: 100-continue", "Content-Length: 3"]))
        #expect(await client.readHead().hasPrefix("HTTP/1.1 100"))
        client.send("abc")
        #expect(await client.readToEnd().hasPrefix("HTTP/1.1 405"))
        let tooLarge = try await server.post(["Expect: 100-continue", "Content-Length: 99999999"], ends: true)
        #expect(tooLarge.hasPrefix("HTTP/1.1 413"), "\(tooLarge)")
        let unknown = try await server.post(["Expect: wonders", "Content-Length: 3"], "abc")
        #expect(unknown.hasPrefix("HTTP/1.1 417"), "\(unknown)")
        server.end()
    }

    @Test("an HTTP/1.0 request gets one response, and then the connection closes", arguments: Daemon.allCases)
    func oldVersion(_ daemon: Daemon) async throws {
        let server = try start(daemon)
        let request = "GET /healthz HTTP/1.0\r\nHost: \(server.host)\r\nConnection: keep-alive\r\n\r\n"
        let answer = try await server.answer(request + request)
        #expect(answer.components(separatedBy: "HTTP/1.1 200").count == 2, "\(answer)")
        #expect(answer.lowercased().contains("connection: close"))
        server.end()
    }

    @Test("the response to HEAD has the status and length of GET's and no body", arguments: Daemon.allCases)
    func head(_ daemon: Daemon) async throws {
        let server = try start(daemon)
        for (path, status) in [("/healthz", 200), ("/metrics", 200), ("/nothing", 404)] {
            let answer = try await server.answer(server.request("HEAD", path))
            #expect(answer.hasPrefix("HTTP/1.1 \(status)"), "\(answer)")
            #expect(answer.hasSuffix("\r\n\r\n") && answer.contains("Content-Length: "), "\(answer)")
            #expect(!answer.contains("Content-Length: 0\r\n"), "\(answer)")
        }
        server.end()
    }
}
