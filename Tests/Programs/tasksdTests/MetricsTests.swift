import Foundation
import NIOHTTP1
import OAuth
import TestSupport
import Testing

/// Tests the metrics that the daemon reports at `/metrics`, except the HTTP metrics.
@Suite(.timeLimit(.minutes(2)))
struct MetricsTests {
    private static let tables = """
        tables:
          todoitem: {columns: {text: {type: string, maxLength: 100}}, softDelete: true, tombstoneDays: 1}
          note: {columns: {text: {type: string}}, hook: {url: "unix:HOOK", timeoutSec: 20}}
        """

    private func page(_ daemon: Daemon) async throws -> String {
        let answer = try await Daemon.inThread {
            Result { try BuiltProgram(path: "/usr/bin/curl").run(["-sf", "http://localhost:\(daemon.port)/metrics"]) }
        }.get()
        #expect(answer.status == 0)
        return answer.output
    }

    private func expect(_ lines: [String], in page: String) {
        for line in lines { #expect(page.contains("\n\(line)\n"), "\(line): \(page)") }
    }

    @Test(
        "rows by table and operation, refusals, hooks, pulls and tokens are counted, with a bounded number of labels"
    )
    func counts() async throws {
        try await Daemon.scene { (daemon: Daemon) async throws in
            try daemon.configure(more: Self.tables.replacing("HOOK", with: daemon.folder.path("h.sock")))
            let (process, _) = try await daemon.start()
            let token = try daemon.token()
            var ids: [String] = []
            for number in 0..<3 {
                let made = try await daemon.send(
                    .POST,
                    "/tables/todoitem",
                    ["text": .string("t\(number)")],
                    token: token
                )
                ids.append(try #require(made.json?["id"]?.string))
            }
            _ = try await daemon.send(.PATCH, "/tables/todoitem/\(ids[0])", ["text": "x"], token: token)
            _ = try await daemon.send(.DELETE, "/tables/todoitem/\(ids[1])", token: token)
            _ = try await daemon.send(.POST, "/tables/todoitem/\(ids[1])", token: token)
            _ = try await daemon.send(.DELETE, "/tables/todoitem/\(ids[1])", token: token)
            _ = try await daemon.send(.GET, "/tables/todoitem", token: token)
            _ = try await daemon.send(.GET, "/tables/todoitem?__includeDeleted=true", token: token)
            _ = try await daemon.send(.GET, "/tables/todoitem/\(ids[0])", token: token)
            // The following requests are refused for different reasons.
            for number in 0..<5 {
                #expect(try await daemon.send(.GET, "/tables/made-up-\(number)", token: token).status == 404)
                #expect(try await daemon.send(.GET, "/tables/todoitem/made-up-\(number)", token: token).status == 404)
            }
            #expect(try await daemon.send(.GET, "/tables/todoitem?$filter=made%20up", token: token).status == 400)
            #expect(try await daemon.send(.POST, "/tables/todoitem", ["text": 1], token: token).status == 400)
            #expect(
                try await daemon.send(
                    .PATCH,
                    "/tables/todoitem/\(ids[0])",
                    ["text": "y"],
                    token: token,
                    ["If-Match": "\"x\""]
                )
                .status == 412
            )
            #expect(try await daemon.send(.GET, "/tables/todoitem", token: nil).status == 401)
            #expect(try await daemon.send(.GET, "/tables/todoitem", token: token + "x").status == 401)
            #expect(try await daemon.send(.POST, "/tables/note", ["text": "x"], token: token).status == 502)
            let page = try await page(daemon)
            expect(
                [
                    "tables_rows_total{table=\"todoitem\",operation=\"insert\"} 3",
                    "tables_rows_total{table=\"todoitem\",operation=\"update\"} 1",
                    "tables_rows_total{table=\"todoitem\",operation=\"delete\"} 2",
                    "tables_rows_total{table=\"todoitem\",operation=\"undelete\"} 1",
                    "tables_rows_total{table=\"todoitem\",operation=\"read\"} 6",
                    "tables_rows_total{table=\"note\",operation=\"insert\"} 0",
                    "tables_pulls_total{table=\"todoitem\"} 1",
                    "tables_refusals_total{reason=\"not_found\"} 10",
                    "tables_refusals_total{reason=\"invalid_query\"} 1",
                    "tables_refusals_total{reason=\"invalid_row\"} 1", "tables_refusals_total{reason=\"mismatch\"} 1",
                    "tables_refusals_total{reason=\"invalid_token\"} 1",
                    "tables_refusals_total{reason=\"bad_gateway\"} 1", "tables_hook_calls_total{result=\"failed\"} 1",
                    "tables_hook_calls_total{result=\"continued\"} 0", "tables_hook_duration_seconds_count 1",
                    "tables_tokens_total{from=\"verification\"} 1", "metrics_dropped_total 0",
                ],
                in: page
            )
            for name in [
                "store_bytes{store=\"tasks\",file=\"database\"}", "store_bytes{store=\"tasks\",file=\"log\"}",
                "store_waiting{store=\"tasks\"}", "store_changes_total{store=\"tasks\"}",
                "store_commit_duration_seconds_count{store=\"tasks\"}", "process_resident_memory_bytes",
                "tasksd_build_info{version=", "tables_traces_forgotten_total 0",
            ] { #expect(page.contains("\n\(name)"), "\(name): \(page)") }
            let remembered = page.split(separator: "\n").first { $0.hasPrefix("tables_tokens_total{from=\"memory\"}") }
            #expect((remembered?.split(separator: " ").last).flatMap { Int($0) } ?? 0 > 10)
            #expect(!page.contains("made") && !page.contains("alice"), "no value from a caller is a label")
            #expect(await daemon.stop(process) == 0)
        }
    }

    @Test("dropped deletion records are counted, and so are later pulls that need them") func traces() async throws {
        try await Daemon.scene { (daemon: Daemon) async throws in
            try daemon.configure(more: Self.tables.replacing("HOOK", with: daemon.folder.path("h.sock")))
            let (first, _) = try await daemon.start()
            let token = try daemon.token()
            let made = try await daemon.send(.POST, "/tables/todoitem", ["text": "x"], token: token)
            let id = try #require(made.json?["id"]?.string)
            _ = try await daemon.send(.DELETE, "/tables/todoitem/\(id)", token: token)
            #expect(await daemon.stop(first) == 0)
            let aged = try BuiltProgram(path: "/usr/bin/python3").run(
                [
                    "-c",
                    """
                    import sqlite3, sys
                    with sqlite3.connect(sys.argv[1]) as database:
                        database.execute("UPDATE t_todoitem SET updatedAt = 1000 WHERE deleted = 1")
                    """, daemon.folder.path("state/tasks.sqlite"),
                ]
            )
            #expect(aged.status == 0, "\(aged.errors)")
            let (second, _) = try await daemon.start()
            let pull =
                "/tables/todoitem?__includeDeleted=true&$filter=updatedAt%20ge%20datetimeoffset'1970-01-01T00:00:00.500Z'"
            // The daemon removes old deletion records in the background after its start, so the pull is repeated.
            var status = 0
            for _ in 0..<1000 where status != 410 { status = try await daemon.send(.GET, pull, token: token).status }
            #expect(status == 410)
            let page = try await page(daemon)
            expect(["tables_refusals_total{reason=\"forgotten\"} 1", "tables_traces_forgotten_total 1"], in: page)
            #expect(await daemon.stop(second) == 0)
        }
    }
}
