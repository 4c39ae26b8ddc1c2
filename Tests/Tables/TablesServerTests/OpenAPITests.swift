import Foundation
import HTTPServer
import HTTPTypes
import LocalIssuer
import Moments
import OAuth
import Tables
import TablesServer
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(1)), .indexedStatements)
struct OpenAPITests {
    private static func tables() throws -> [TableDeclaration] {
        var code = TableColumn("code", .string)
        code.pattern = try Pattern("[A-Z]{2}")
        code.isRequired = true
        var who = TableColumn("who", .string)
        who.source = .oid
        var news = try TableDeclaration("News", columns: [code, who, TableColumn("at", .date)])
        news.isPerUser = false
        news.idKind = .integer
        news.isDynamic = true
        news.access = [.read: .anonymous, .update: .disabled, .insert: .application]
        return [try .todoitem, news]
    }

    /// Returns `METHOD /path` of every operation in the document.
    private func operations(_ document: JSONValue) throws -> Set<String> {
        var all: Set<String> = []
        for (path, item) in try #require(document["paths"]?.object) {
            for method in (item.object ?? [:]).keys { all.insert("\(method.uppercased()) \(path)") }
        }
        return all
    }

    /// Returns the operations that the document must contain for a route.
    ///
    /// A route for tables requires one operation for each table that does not disable it.
    private func expected(_ route: String, _ tables: [TableDeclaration]) -> [String] {
        let plain = route.replacing("/**", with: "/{rest}")
        guard plain.contains("/tables/{table}") else { return [plain] }
        return tables.compactMap { table in
            let verb: TableDeclaration.Verb =
                plain.hasPrefix("GET")
                ? .read : plain.hasPrefix("DELETE") ? .delete : plain == "POST /tables/{table}" ? .insert : .update
            return table.access(verb) == .disabled ? nil : plain.replacing("{table}", with: table.name)
        }
    }

    private static let todoitem = [
        "GET /tables/todoitem", "POST /tables/todoitem", "PATCH /tables/todoitem", "DELETE /tables/todoitem",
        "GET /tables/todoitem/{id}", "POST /tables/todoitem/{id}", "PUT /tables/todoitem/{id}",
        "PATCH /tables/todoitem/{id}", "DELETE /tables/todoitem/{id}",
    ]
    /// The operations on a table that disables updates, which also disables the restoration of rows.
    private static let news = [
        "GET /tables/News", "POST /tables/News", "DELETE /tables/News", "GET /tables/News/{id}",
        "DELETE /tables/News/{id}",
    ]
    private static let others = [
        "GET /api/tasks", "POST /api/tasks", "DELETE /api/tasks", "DELETE /api/tasks/{id}", "GET /api/balance",
        "GET /.auth/me", "GET /.auth/refresh", "GET /protected", "GET /push/{rest}", "POST /push/{rest}",
        "PUT /push/{rest}", "PATCH /push/{rest}", "DELETE /push/{rest}", "GET /healthz", "GET /readyz", "GET /metrics",
        "GET /openapi.json",
    ]

    @Test("the document contains every route of the router and no others") func routes() async throws {
        let tables = try Self.tables()
        try await TestAPI.run(tables) { (api: TestAPI) async throws in
            let document = try #require(try await api.send(.get, "/openapi.json", token: nil).json)
            #expect(document["openapi"] == "3.1.0")
            let said = try operations(document)
            #expect(api.routes.count > 15)
            #expect(said == Set(api.routes.flatMap { expected($0, tables) }))
            #expect(said.isSuperset(of: Self.todoitem + Self.news + Self.others), "\(said.sorted())")
        }
    }

    @Test("the described handler responds to every operation of the document") func answered() async throws {
        try await TestAPI.run(Self.tables()) { (api: TestAPI) async throws in
            let document = try #require(try await api.send(.get, "/openapi.json").json)
            let operations = try operations(document)
            #expect(operations.isSuperset(of: Self.todoitem), "\(operations.sorted())")
            for operation in operations {
                let parts = operation.split(separator: " ").map(String.init)
                let method = try #require(HTTPRequest.Method(rawValue: parts[0]))
                let answer = try await api.send(
                    method,
                    parts[1].replacing("{id}", with: "7").replacing("{rest}", with: "x")
                )
                #expect(answer.status != 405, "\(operation)")
                #expect(answer.json?["error"] != "no resource at this address", "\(operation)")
                #expect(answer.json?["error"] != "There is no such table.", "\(operation)")
            }
        }
    }

    @Test("a look-up and a replacement of one row can include deleted rows, which are otherwise 410")
    func includingDeleted() async throws {
        try await TestAPI.run { (api: TestAPI) async throws in
            let document = try #require(try await api.send(.get, "/openapi.json").json)
            for (method, expected) in [("get", true), ("put", true), ("patch", false), ("delete", false)] {
                let operation = document["paths"]?["/tables/todoitem/{id}"]?[method]
                let parameters = operation?["parameters"]?.array ?? []
                #expect(parameters.contains { $0["name"] == "__includeDeleted" } == expected, "\(method)")
                #expect(operation?["responses"]?["410"] != nil, "\(method)")
            }
        }
    }

    @Test("every operation has a summary, responses, and existing schemas") func complete() async throws {
        try await TestAPI.run(Self.tables()) { (api: TestAPI) async throws in
            let answer = try await api.send(.get, "/openapi.json")
            let document = try #require(answer.json)
            for (path, item) in try #require(document["paths"]?.object) {
                for (method, operation) in item.object ?? [:] {
                    let summary = try #require(operation["summary"]?.string, "\(method) \(path)")
                    #expect(summary != "An endpoint of this server.", "\(method) \(path)")
                    #expect(operation["responses"]?.object?.isEmpty == false && operation["security"] != nil)
                    #expect(!path.contains("{table}") && !path.contains("*"))
                    let inPath = path.split(separator: "/").filter { $0.hasPrefix("{") }
                    let said = (operation["parameters"]?.array ?? []).filter { $0["in"] == "path" }
                    #expect(said.compactMap { $0["name"]?.string } == inPath.map { String($0.dropFirst().dropLast()) })
                }
            }
            let schemas = try #require(document["components"]?["schemas"]?.object)
            let references = answer.text.matches(of: /"#\/components\/schemas\/([^"]+)"/)
            #expect(!references.isEmpty)
            for match in references {
                #expect(schemas[String(match.output.1)] != nil, "\(match.output.1)")
            }
        }
    }

    @Test("schemas describe the tables' columns and their rules") func schemas() async throws {
        try await TestAPI.run(Self.tables()) { (api: TestAPI) async throws in
            let schemas = try await api.send(.get, "/openapi.json").json?["components"]?["schemas"]
            let todo = try #require(schemas?["todoitem.insert"])
            #expect(todo["required"] == ["text"] && todo["additionalProperties"] == false)
            #expect(todo["properties"]?["text"] == ["type": "string", "maxLength": 4096])
            #expect(todo["properties"]?["complete"] == ["type": ["boolean", "null"], "default": false])
            #expect(todo["properties"]?["priority"] == ["type": ["number", "null"], "enum": [1, 2, 3, nil]])
            let news = try #require(schemas?["News"])
            #expect(news["additionalProperties"] == true && news["properties"]?["id"]?["type"] == "integer")
            #expect(news["properties"]?["code"]?["pattern"] == "^(?:[A-Z]{2})$")
            #expect(
                news["properties"]?["who"]?["readOnly"] == true && schemas?["News.insert"]?["properties"]?["who"] == nil
            )
            #expect(news["properties"]?["at"]?["format"] == "date-time")
        }
    }
}
