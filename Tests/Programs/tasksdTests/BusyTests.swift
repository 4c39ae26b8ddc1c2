import AsyncHTTPClient
import Foundation
import LocalIssuer
import NIOCore
import NIOHTTP1
import OAuth
import TestSupport
import Testing

/// Tests which requests a busy `tasksd` refuses, and when their clients may try again.
@Suite(.timeLimit(.minutes(4)))
struct BusyTests {
    /// The number of Alice's rows.
    ///
    /// Each row has a note of one megabyte, so that an expensive query runs for five seconds.
    private static let rows = 12
    /// A number of long queries that exceeds the limit for one user, even if some of the queries end early.
    private static let many = 90

    private static func costly() throws -> String {
        let filter = (0..<140).map { "indexof(tolower(notes),'\($0)') ge 0" }.joined(separator: " or ")
        return "/tables/todoitem?$filter="
            + (try #require(filter.addingPercentEncoding(withAllowedCharacters: .alphanumerics)))
    }

    private func scene(_ test: (Daemon, RunningProgram) async throws -> Void) async throws {
        try await Daemon.scene { (daemon: Daemon) async throws in
            let (process, _) = try await daemon.start()
            let note = String(repeating: "a", count: 1_000_000)
            for index in 0..<Self.rows {
                let row: JSONValue = .object(["text": .string("t\(index)"), "notes": .string(note)])
                #expect(try await daemon.send(.POST, "/tables/todoitem", row, token: daemon.token()).status == 201)
            }
            try await test(daemon, process)
            #expect(await daemon.stop(process) == 0)
        }
    }

    /// Sends Alice's expensive query over a separate connection.
    private func ask(_ daemon: Daemon) throws -> RawClient {
        let client = try RawClient(port: daemon.port)
        let fields = "Host: localhost:\(daemon.port)\r\nAuthorization: Bearer \(try daemon.token())\r\n"
        client.send("GET \(try Self.costly()) HTTP/1.1\r\n\(fields)\r\n")
        return client
    }

    private func measurement(_ name: String, of daemon: Daemon) async throws -> Int? {
        let request = HTTPClientRequest(url: "http://localhost:\(daemon.port)/metrics")
        let body = try await Daemon.client.execute(request, timeout: .seconds(20)).body.collect(upTo: 1 << 20)
        let line = String(buffer: body).split(separator: "\n").first { $0.hasPrefix(name + " ") }
        return line?.split(separator: " ").last.flatMap { Int($0) }
    }

    private func long(_ state: String, of daemon: Daemon) async throws -> Int? {
        try await measurement("tables_long_queries{state=\"\(state)\"}", of: daemon)
    }

    @Test("an expensive query ends when its client closes the connection, long before its own end") func abandoned()
        async throws
    {
        try await scene { daemon, _ in
            // If each of the 12 queries ran for five seconds, they would exceed this limit together.
            try await within(.seconds(45)) { left in
                for number in 1...12 {
                    let client = try ask(daemon)
                    try await waitUntil("query \(number) runs", within: left()) {
                        try await long("running", of: daemon) == 1
                    }
                    client.leave()
                    try await waitUntil("query \(number) has ended", within: left()) {
                        try await long("running", of: daemon) == 0
                    }
                    try await waitUntil("query \(number) is cancelled", within: left()) {
                        try await measurement("tables_refusals_total{reason=\"abandoned\"}", of: daemon) == number
                    }
                }
            }
            #expect(try await measurement("tables_refusals_total{reason=\"too_costly\"}", of: daemon) == nil)
        }
    }

    @Test("long queries of one user beyond the limit are 503 with 5 s, and another user's succeed") func full()
        async throws
    {
        try await scene { daemon, _ in
            let clients = try (0..<Self.many).map { _ in try ask(daemon) }
            defer { for client in clients { client.leave() } }
            let refused = try await withThrowingTaskGroup(of: String.self) { group in
                for client in clients { group.addTask { await client.readHead() } }
                var refused: [String] = []
                for try await answer in group where answer.hasPrefix("HTTP/1.1 503 ") {
                    if refused.isEmpty {
                        let list = try await daemon.send(.GET, "/tables/todoitem", token: daemon.token("bob"))
                        #expect(list.status == 200 && list.json == [])
                    }
                    refused.append(answer)
                }
                return refused
            }
            let answer = try #require(refused.first)
            #expect(answer.contains("\r\nRetry-After: 5\r\n"), "\(answer)")
            #expect(answer.contains(#""code":503,"#), "\(answer)")
            #expect(answer.contains(#""error":"The server is busy. Try again.""#), "\(answer)")
        }
    }

    @Test("a write while another process locks the database is 503 with 5 s, and nothing is written") func held()
        async throws
    {
        try await Daemon.scene { (daemon: Daemon) async throws in
            let (process, _) = try await daemon.start()
            let holder = try BuiltProgram(path: "/usr/bin/python3").start(
                [
                    "-c",
                    """
                    import sqlite3, sys
                    database = sqlite3.connect(sys.argv[1], isolation_level=None)
                    database.execute("BEGIN IMMEDIATE")
                    print("held", flush=True)
                    sys.stdin.read()
                    """, daemon.folder.path("state/tasks.sqlite"),
                ]
            )
            try await waitUntil("the database is locked") { holder.output().contains("held") }
            let answer = try await daemon.send(.POST, "/tables/todoitem", ["text": "x"], token: daemon.token())
            expectBusy(answer, "The server is busy. Try again.", after: "5")
            try holder.input.close()
            #expect(await Daemon.inThread { holder.wait(within: 20) } == 0)
            #expect(try await daemon.send(.GET, "/tables/todoitem", token: daemon.token()).json == [])
            #expect(await daemon.stop(process) == 0)
        }
    }

    @Test("a token is 503 with 2 s while its authority is down") func authorityDown() async throws {
        try await Daemon.scene { (daemon: Daemon) async throws in
            daemon.issuer.behave(.down)
            let (process, _) = try await daemon.start()
            let answer = try await daemon.send(.GET, "/tables/todoitem", token: daemon.token())
            expectBusy(answer, "The authority that issued the token is unavailable. Try again later.", after: "2")
            #expect(await daemon.stop(process) == 0)
        }
    }

    private func expectBusy(_ answer: Daemon.Answer, _ sentence: String, after seconds: String) {
        #expect(answer.status == 503 && answer.headers.first(name: "Retry-After") == seconds)
        #expect(answer.json?["code"] == 503 && answer.json?["error"] == .string(sentence))
        #expect(answer.json?["correlationId"]?.string == answer.headers.first(name: "client-request-id"))
        #expect(answer.json?["key"]?.string?.hasPrefix("tables.") == true && answer.json?.object?.count == 4)
    }

    /// Runs `body` with a function that returns the time left until `limit` has passed.
    private func within(_ limit: Duration, _ body: (() -> Duration) async throws -> Void) async throws {
        let end = ContinuousClock.now + limit
        try await body { end - .now }
    }
}
