import Foundation
import HTTPTypes
import Hummingbird
import OAuth
import Tables
import TablesClient
import TestSupport
import Testing

private let milk = """
    {"id":"a","text":"milk","complete":false,"duration":1.5,"priority":2,"notes":null,"version":"djE=",\
    "createdAt":"2026-11-21T09:00:00.000Z","updatedAt":"2026-11-21T09:00:00.001Z","deleted":false}
    """

@Suite(.timeLimit(.minutes(1)))
struct TablesClientTests {
    @Test("a request carries the token, the protocol's version and the correlation id") func headers() async throws {
        let id = CorrelationID()
        try await LiveAPI.run { _, _ in
            .json("[]")
        } test: { api, address in
            let rows = try await TablesClient.with(address, correlationID: id, token: Tokens().next) { client in
                try await client.list("todoitem")
            }
            #expect(rows.isEmpty)
            let request = try #require(api.requests.first)
            #expect(request.method == "GET")
            #expect(request.target == "/tables/todoitem")
            #expect(request.header("Authorization") == "Bearer t1")
            #expect(request.header("ZUMO-API-VERSION") == "2.0.0")
            #expect(request.header("X-ZUMO-VERSION")?.hasPrefix("ZUMO/2.0 (") == true)
            #expect(request.header("client-request-id") == id.description)
        }
    }

    @Test(
        "rows have their values, version and times",
        arguments: ["[\(milk)]", "{\"results\":[\(milk)],\"count\":1}"]
    )
    func rows(_ body: String) async throws {
        try await LiveAPI.run { _, _ in
            .json(body)
        } test: { _, address in
            let rows = try await TablesClient.with(address, token: Tokens().next) { try await $0.list("todoitem") }
            let row = try #require(rows.first)
            #expect(row.id.text == "a")
            #expect(
                row.values == [
                    "text": .string("milk"), "complete": .boolean(false), "duration": .number(1.5),
                    "priority": .number(2), "notes": .null,
                ]
            )
            #expect(row.version == RowVersion("djE="))
            #expect(row.updatedAt == 1_795_251_600_001)
            #expect(row.json == (try? StrictJSON.parse(Array(milk.utf8))))
        }
    }

    @Test("a list continues with the next pages, with and without angle brackets") func pages() async throws {
        try await LiveAPI.run { request, count in
            let links = [
                ["Link": "http://\(request.host)/tables/todoitem?$top=1&$skip=1; rel=next"],
                ["Link": "</tables/todoitem?$skip=2>; rel=\"next\""], ["Link": "/other; rel=prev"],
            ]
            return .json("[{\"id\":\"\(count)\"}]", .ok, links[count - 1])
        } test: { api, address in
            let rows = try await TablesClient.with(address, token: Tokens().next) { try await $0.list("todoitem") }
            #expect(rows.map(\.id.text) == ["1", "2", "3"])
            let targets = ["/tables/todoitem", "/tables/todoitem?$top=1&$skip=1", "/tables/todoitem?$skip=2"]
            #expect(api.requests.map(\.target) == targets)
        }
    }

    @Test(
        "a link to another origin, another resource or the same page is rejected",
        arguments: [
            "http://api.example/tables/todoitem?$skip=1", "https://HOST/tables/todoitem?$skip=1",
            "/tables/other?$skip=1",
            "http://user@HOST/tables/todoitem?$skip=1", "//api.example/tables/todoitem", "/tables/todoitem?$skip=1",
        ]
    )
    func foreignLink(_ link: String) async throws {
        try await LiveAPI.run { request, _ in
            .json("[]", .ok, ["Link": "\(link.replacing("HOST", with: request.host)); rel=next"])
        } test: { api, address in
            let error = await failure(address) { try await $0.list("todoitem") }
            #expect(error?.code == .malformedAnswer)
            #expect((1...2).contains(api.requests.count))
        }
    }

    @Test("an endless list is stopped") func endless() async throws {
        var limits = TablesClientLimits()
        limits.pages = 5
        try await LiveAPI.run { _, count in
            .json("[]", .ok, ["Link": "/tables/todoitem?$skip=\(count); rel=next"])
        } test: { [limits] api, address in
            let error = await failure(address, limits) { try await $0.list("todoitem") }
            #expect(error?.code == .tooLarge)
            #expect(api.requests.count == 5)
        }
    }

    @Test("an id is one path segment, whatever it contains") func encodedID() async throws {
        try await LiveAPI.run { _, _ in
            .json(milk.replacing(#""id":"a""#, with: #""id":"a b%ä#&;'..'""#), .ok, ["ETag": "\"other\""])
        } test: { api, address in
            let id = try #require(RowID("a b%ä#&;'..'"))
            let row = try await TablesClient.with(address, token: Tokens().next) { try await $0.get("todoitem", id) }
            #expect(row.version == RowVersion("djE="))
            #expect(api.requests.first?.target == "/tables/todoitem/a%20b%25%C3%A4%23%26%3B%27..%27")
        }
    }

    @Test("an insert sends its values, its id and its idempotency key") func insert() async throws {
        let key = UUID()
        try await LiveAPI.run { _, _ in
            .json("{\"id\":\"a\"}", .created, ["ETag": "\"djE=\""])
        } test: { api, address in
            let row = try await TablesClient.with(address, token: Tokens().next) { client in
                try await client.insert(
                    "todoitem",
                    ["text": .string("milk"), "duration": .number(2), "due": .date(0)],
                    id: RowID("a"),
                    idempotencyKey: key
                )
            }
            #expect(row.version == RowVersion("djE="))
            let request = try #require(api.requests.first)
            #expect(request.method == "POST")
            #expect(request.header("Idempotency-Key") == key.uuidString.lowercased())
            #expect(request.header("Content-Type") == "application/json")
            #expect(request.body == #"{"due":"1970-01-01T00:00:00.000Z","duration":2,"id":"a","text":"milk"}"#)
        }
    }

    @Test("an update and a deletion name the version that they are based on") func conditional() async throws {
        try await LiveAPI.run { request, _ in
            request.method == "DELETE" ? Response(status: .noContent) : .json(milk)
        } test: { api, address in
            let id = try #require(RowID("a"))
            try await TablesClient.with(address, token: Tokens().next) { client in
                try await client.update("todoitem", id, ["complete": .boolean(true)], ifMatch: RowVersion("v\"1"))
                try await client.update("todoitem", id, ["complete": .boolean(true)])
                try await client.delete("todoitem", id, ifMatch: RowVersion("djE="))
                try await client.delete("todoitem", id)
            }
            #expect(api.requests.map(\.method) == ["PATCH", "PATCH", "DELETE", "DELETE"])
            #expect(api.requests.map { $0.header("If-Match") } == [#""v\"1""#, nil, "\"djE=\"", nil])
            #expect(api.requests.map(\.body) == [#"{"complete":true}"#, #"{"complete":true}"#, "", ""])
        }
    }

    @Test("tasks are listed, added, and deleted by id and by text") func tasks() async throws {
        let task = #"{"id":"a","task":"milk","owner":"o","completed":true,"creationDate":"2026-11-21T09:00:00.000Z"}"#
        try await LiveAPI.run { request, _ in
            switch request.method {
            case "GET": .json("[\(task)]")
            case "POST": .json(task, .created)
            default: Response(status: .noContent)
            }
        } test: { api, address in
            try await TablesClient.with(address, token: Tokens().next) { client in
                let listed = try await client.tasks()
                let added = try await client.addTask("milk")
                #expect(listed == [added])
                #expect(added.isCompleted && added.owner == "o" && added.created == 1_795_251_600_000)
                try await client.deleteTask(added.id)
                try await client.deleteTask(text: "milk")
            }
            #expect(api.requests.map(\.target) == ["/api/tasks", "/api/tasks", "/api/tasks/a", "/api/tasks"])
            #expect(api.requests.last?.body == #"{"task":"milk"}"#)
        }
    }
}

/// Returns the error that a call of a new client throws.
func failure(
    _ address: APIAddress,
    _ limits: TablesClientLimits = TablesClientLimits(),
    token: @escaping TablesClient.TokenSource = Tokens().next,
    _ call: (TablesClient) async throws -> some Sendable
) async -> TablesError? {
    await #expect(throws: TablesError.self) {
        try await TablesClient.with(address, limits: limits, token: token) { _ = try await call($0) }
    }
}
