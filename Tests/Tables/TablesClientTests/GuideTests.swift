import Foundation
import HTTPTypes
import OAuth
import Synchronization
import Tables
import TablesClient
import TestSupport
import Testing

/// The row type for tasks, as an app declares it.
///
/// The table may have more columns than this type.
struct TodoItem: Codable, Hashable, Sendable {
    var id: String?
    var text: String
    var complete = false
    var priority: Int?
    var due: Date?
    var version: String?
    var updatedAt: Date?
}

/// Runs `body` with a table whose requests get their responses from `answer`, without a network.
func withTasks<Value: Sendable>(
    answering answer: @escaping @Sendable (TablesRequest) -> TablesResponse,
    _ body: (TypedTable<TodoItem>) async throws -> Value
) async throws -> Value {
    let address = try APIAddress("https://api.example")
    return try await TablesClient.with(address, filters: [{ request, _ in answer(request) }]) { client in
        try await body(client.table("todoitem", of: TodoItem.self))
    }
}

/// Tests of the code blocks in the guide.
///
/// Every code block occurs in this file or in an example, so that it compiles.
@Suite(.timeLimit(.minutes(1)))
struct GuideTests {
    private let milk: JSONValue = ["id": "a", "text": "Buy milk", "complete": false, "version": "djE="]

    @Test("getting started: rows are read, inserted and updated") func gettingStarted() async throws {
        let tokens = Tokens()
        try await LiveAPI.run { request, _ in
            switch request.method {
            case "GET": .json("{\"count\":1,\"results\":[\(milk.text)]}")
            case "DELETE": .json(milk.text)
            default: .json(milk.text, .created)
            }
        } test: { api, address in
            let client = TablesClient(address) { forceRefresh in tokens.next(forceRefresh) }
            let tasks = client.table("todoitem", of: TodoItem.self)

            let soon = try Query().where("complete == NO AND priority < %@", 3).sort(by: "due").includeTotalCount()
            for try await page in tasks.pages(soon) {
                print("\(page.rowsSoFar) of \(page.totalCount ?? 0)")
            }

            var milk = try await tasks.insert(TodoItem(text: "Buy milk"))
            milk.complete = true
            milk = try await tasks.update(milk)
            try await tasks.delete(milk)

            let rows = try await client.table("todoitem").all(Query().top(20))
            print(rows.first?["text"] ?? .null)

            try await client.close()
            #expect(api.requests.map(\.method) == ["GET", "POST", "PATCH", "DELETE", "GET"])
            #expect(api.requests[3].header("If-Match") == "\"djE=\"")
        }
    }

    @Test("errors: a conflict shows both sides") func errors() async throws {
        let edits = Mutex(0)
        let row = milk
        let text = try await withTasks { request in
            guard request.method == .patch, request.headers["If-Match"] == "\"djA=\"" else {
                return TablesResponse(json: request.json ?? row)
            }
            edits.withLock { $0 += 1 }
            return TablesResponse(status: 412, headers: ["ETag": "\"djE=\""], json: row)
        } _: { tasks in
            let mine = TodoItem(id: "a", text: "Buy oat milk", version: "djA=")
            do {
                return try await tasks.update(mine).text
            } catch let error as TablesError where error.code == .preconditionFailed {
                guard let theirs = try tasks.serverRow(of: error) else { throw error }
                return "\(mine.text) or \(theirs.text)?"
            } catch let error as TablesError {
                print(error.message, error.request?.url ?? "", error.response?.status ?? 0)
                throw error
            }
        }
        #expect(text == "Buy oat milk or Buy milk?" && edits.withLock { $0 } == 1)
    }

    @Test("filters: one adds a field, the next retries") func filters() async throws {
        try await LiveAPI.run { _, count in
            count < 3 ? .json("{}", .serviceUnavailable) : .json("[]")
        } test: { api, address in
            let plain = TablesClient(address, token: Tokens().next)
            let client =
                plain
                .filtered { request, next in
                    var request = request
                    request.headers["X-ZUMO-APPLICATION"] = "key"
                    return try await next(request)
                }
                .filtered { request, next in
                    var response = try await next(request)
                    for _ in 1..<3 where response.status == 503 {
                        response = try await next(request)
                    }
                    return response
                }
            _ = try await client.table("todoitem").all()
            try await client.close()
            #expect(api.requests.map { $0.header("X-ZUMO-APPLICATION") } == ["key", "key", "key"])
        }
    }

    @Test("testing without a network: a filter replaces the API") func withoutNetwork() async throws {
        let tasks = try await withTasks { request in
            request.method == .get
                ? TablesResponse(json: [["id": "a", "text": "Buy milk", "complete": false]])
                : TablesResponse(status: 400, json: ["code": 400, "error": "not in this test"])
        } _: { tasks in
            try await tasks.all()
        }
        #expect(tasks.map(\.text) == ["Buy milk"])
    }

    @Test("custom APIs: JSON, texts and bytes") func customAPIs() async throws {
        try await LiveAPI.run { request, _ in
            request.header("Accept") == "text/plain"
                ? .text("9")
                : .json("{\"finished\":2}")
        } test: { api, address in
            let client = TablesClient(address, token: Tokens().next)
            let answer = try await client.invokeAPI(
                "finishAll",
                method: .post,
                body: .json(["before": "2026-11-21T09:00:00.000Z"]),
                parameters: ["dryRun": "yes"]
            )
            print(answer.json?["finished"]?.int ?? 0)
            let text = try await client.invokeAPI("balance", method: .get, headers: ["Accept": "text/plain"]).text
            #expect(answer.json?["finished"] == 2 && text == "9")
            try await client.close()
        }
    }

    @Test("every code block of the guide compiles here") func guide() throws {
        let compiled = try [
            "Tests/Tables/TablesClientTests/GuideTests.swift", "Examples/example-tables/QueryAndChange.swift",
        ]
        .map { try Self.lines(ProjectFolder.text($0)) }
        let folder = ProjectFolder.url.appendingPathComponent("Sources/Tables/TablesClient/TablesClient.docc")
        let articles = try FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil)
        var blocks = 0
        for article in articles where article.pathExtension == "md" {
            let parts = try String(contentsOf: article, encoding: .utf8).components(separatedBy: "```")
            for (index, part) in parts.enumerated() where index % 2 == 1 {
                let block = Self.lines(String(part.drop { $0 != "\n" }))
                blocks += 1
                #expect(part.hasPrefix("swift\n"), "\(article.lastPathComponent)")
                #expect(
                    compiled.contains { lines in lines.contains(block) },
                    "\(article.lastPathComponent): \(part)"
                )
            }
        }
        #expect(blocks >= 7)
    }

    /// Returns the nonempty lines of a text without their indentation.
    private static func lines(_ text: String) -> [String] {
        text.split(separator: "\n").map { $0.trimmingCharacters(in: .whitespaces) }.filter { !$0.isEmpty }
    }
}
