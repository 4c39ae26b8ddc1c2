import FlowModel
import HTTPTypes
import Localization
import OAuth
import Tables
import TestSupport
import Testing

@testable import TablesServer

/// Tests of the text key and the parameters that an error response contains in addition to its message.
@Suite(.timeLimit(.minutes(1)), .indexedStatements)
struct RefusalTextTests {
    private typealias Case = (HTTPRequest.Method, String, JSONValue?, [String: String], Int, Text)

    private static let cases: [Case] = [
        (
            .get, "/tables/todoitem?$filter=txet%20eq%201", nil, [:], 400,
            Text(
                "query.ofOptionAt",
                [
                    "option": "$filter", "position": 0,
                    "text": Text("query.unknownColumn.nearest", ["name": "txet", "nearest": "text"]),
                ]
            )
        ),
        (
            .get, "/tables/todoitem?$top=1001", nil, [:], 400,
            Text("query.ofOption", ["option": "$top", "text": Text("query.tooManyRows", ["most": 1000])])
        ),
        (.get, "/tables/todoitem?$mine=1", nil, [:], 400, Text("query.reservedParameter", ["name": "$mine"])),
        (.post, "/tables/todoitem", [:], [:], 400, Text("row.missing", ["name": "text"])),
        (
            .post, "/tables/todoitem", ["text": "x", "priority": 9], [:], 400,
            Text("row.notAllowed", ["name": "priority", "values": "1, 2, 3"])
        ),
        (
            .post, "/tables/todoitem", ["texd": "x"], [:], 400,
            Text("row.unknownColumn.nearest", ["name": "texd", "table": "todoitem", "nearest": "text"])
        ),
        (.post, "/tables/todoitem", ["text": ["x"]], [:], 400, Text("row.listOrObject", ["name": "text"])),
        (.post, "/tables/todoitem", ["x"], [:], 400, Text("row.notAnObject")),
        (.patch, "/tables/todoitem", ["text": "x"], [:], 400, Text("row.noID")),
        (.patch, "/tables/todoitem/a", ["id": "b"], [:], 400, Text("row.twoIDs")),
        (.put, "/tables/todoitem/caf%C3%A9", ["id": "cafe\u{301}", "text": "x"], [:], 400, Text("row.twoIDs")),
        (
            .patch, "/tables/todoitem/a", ["text": "x"], ["If-Match": "a"], 400,
            Text("row.notQuoted", ["field": "If-Match"])
        ),
        (.delete, "/tables/todoitem", nil, [:], 400, Text("row.noFilter")),
        (.post, "/tables/todoitem", ["text": "x"], ["Idempotency-Key": "1"], 400, Text("row.keyNotUUID")),
        (.get, "/tables/todoitem/a?$top=1", nil, [:], 400, Text("row.optionOfLists", ["name": "$top"])),
        (
            .get, "/api/tasks?$filter=a", nil, [:], 400,
            Text("row.otherOptions", ["name": "$filter", "path": "/api/tasks", "known": Text.and(["$skip", "$top"])])
        ),
        (
            .delete, "/api/tasks/a?$top=1", nil, [:], 400,
            Text("row.optionOfTables", ["name": "$top", "path": "/api/tasks"])
        ),
        (.post, "/api/tasks", ["text": "x"], [:], 400, Text("row.notATask", ["form": #"{"task": TEXT}"#])),
        (.get, "/tables/todoitem/a", nil, [:], 404, Text("tables.noRow")),
        (.get, "/tables/nothing", nil, [:], 404, Text("tables.noTable")),
        (.get, "/tables/todoitem", nil, ["ZUMO-API-VERSION": "1.0.0"], 400, Text("tables.unknownVersion")),
        (.post, "/tables/todoitem", ["text": "x"], ["Content-Type": "text/plain"], 415, Text("tables.bodyNotJSON")),
        (.get, "/tables/todoitem", nil, ["X-ZUMO-AUTH": "another"], 400, Text("tables.twoTokens")),
    ]

    private func expect(_ answer: TestAPI.Answer, _ status: Int, _ text: Text) throws {
        let body = try #require(answer.json?.object)
        #expect(answer.status == status && body["code"] == .int(Int64(status)), "\(answer.text)")
        #expect(body["error"]?.string == text.english && body["correlationId"]?.string?.count == 36, "\(answer.text)")
        #expect(Text(members: body) == text && text.isInCatalog, "\(answer.text)")
        #expect(text.words(in: .german) != text.english)
    }

    @Test("an error response has the key and parameters that produce its message") func keys() async throws {
        try await TestAPI.run { (api: TestAPI) async throws in
            for (method, path, body, fields, status, text) in Self.cases {
                try expect(try await api.send(method, path, body, fields), status, text)
            }
            try expect(
                try await api.send(.get, "/tables/todoitem", token: nil),
                401,
                Text("tables.signedOut")
            )
            try expect(try await api.send(.get, "/tables/todoitem", token: "x"), 401, Text("tables.tokenInvalid"))
            let weak = try await api.send(.get, "/tables/todoitem", token: try api.token(scopes: "tasks.write"))
            try expect(weak, 403, Text("tables.scopeMissing", ["scope": "tasks.read"]))
        }
    }

    @Test("a column's own message has no key") func stated() async throws {
        var level = TableColumn("level", .number)
        level.max = 9
        level.message = "Nine at most, please."
        let table = try TableDeclaration("note", columns: [level])
        try await TestAPI.run([table]) { (api: TestAPI) async throws in
            let answer = try await api.send(.post, "/tables/note", ["level": 10])
            let body = try #require(answer.json?.object)
            #expect(answer.status == 400 && Set(body.keys) == ["code", "error", "correlationId", "column"])
            #expect(body["error"] == "Nine at most, please." && body["column"] == "level")
        }
    }
}
