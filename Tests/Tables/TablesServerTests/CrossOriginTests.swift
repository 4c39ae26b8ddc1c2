import Foundation
import HTTPServer
import HTTPTypes
import LocalIssuer
import Moments
import OAuth
import Tables
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(1)), .indexedStatements)
struct CrossOriginTests {
    private static let origin = "https://app.example"
    private static let page = ["Origin": origin]

    @Test("a preflight request returns the methods and fields, including the protocol's") func preflight()
        async throws
    {
        try await TestAPI.run(origins: [Self.origin]) { (api: TestAPI) async throws in
            let asked = "content-type, if-match,X-ZUMO-AUTH, x-zumo-new,zumo-api-version,x-other"
            let answer = try await api.send(
                .options,
                "/tables/todoitem/a",
                nil,
                token: nil,
                [
                    "Origin": Self.origin, "Access-Control-Request-Method": "PATCH",
                    "Access-Control-Request-Headers": asked,
                ]
            )
            #expect(answer.status == 204 && answer["Access-Control-Allow-Origin"] == Self.origin)
            #expect(answer["Access-Control-Allow-Credentials"] == nil && answer["Vary"] == "Origin")
            let methods = (answer["Access-Control-Allow-Methods"] ?? "").split(separator: ",")
            #expect(methods == ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE"])
            let fields = Set((answer["Access-Control-Allow-Headers"] ?? "").split(separator: ",").map(String.init))
            let wanted: Set = [
                "authorization", "content-type", "if-match", "if-none-match", "x-zumo-auth", "x-zumo-new",
                "zumo-api-version", "idempotency-key",
            ]
            #expect(fields.isSuperset(of: wanted) && !fields.contains("x-other") && !fields.contains("*"))
        }
    }

    @Test("responses and error responses name the origin and the readable fields") func answers() async throws {
        try await TestAPI.run(origins: [Self.origin]) { (api: TestAPI) async throws in
            let good = try await api.send(.get, "/tables/todoitem", nil, Self.page)
            let unknown = try await api.send(.get, "/tables/todoitem", token: nil, Self.page)
            let missing = try await api.send(.get, "/nowhere", token: nil, Self.page)
            let bad = try await api.send(.post, "/tables/todoitem", ["text": 5], Self.page)
            #expect([good, unknown, missing, bad].map(\.status) == [200, 401, 404, 400])
            for answer in [good, unknown, missing, bad] {
                #expect(answer["Access-Control-Allow-Origin"] == Self.origin && answer["Vary"] == "Origin")
                #expect(answer["Access-Control-Expose-Headers"] == "Link,Etag")
                #expect(answer["Access-Control-Allow-Credentials"] == nil)
            }
        }
    }

    @Test(
        "an unlisted origin gets no access",
        arguments: [
            "https://evil.example", "http://app.example", "https://app.example:444", "https://app.example.evil",
            "null", "*", "https://APP.example",
        ]
    )
    func others(_ origin: String) async throws {
        try await TestAPI.run(origins: [Self.origin]) { (api: TestAPI) async throws in
            let answer = try await api.send(.get, "/tables/todoitem", nil, ["Origin": origin])
            let asks = ["Origin": origin, "Access-Control-Request-Method": "GET"]
            let preflight = try await api.send(.options, "/tables/todoitem", token: nil, asks)
            #expect(answer.status == 200 && preflight.status == 403)
            for answer in [answer, preflight] {
                #expect(!answer.headers.contains { $0.name.canonicalName.hasPrefix("access-control") })
                #expect(answer["Vary"] == "Origin")
            }
        }
    }

    @Test("without configured origins no response has CORS fields") func off() async throws {
        try await TestAPI.run { (api: TestAPI) async throws in
            let answer = try await api.send(.get, "/tables/todoitem", nil, Self.page)
            #expect(answer.status == 200 && answer["Vary"] == nil && answer["Access-Control-Allow-Origin"] == nil)
        }
    }

    @Test(
        "a change from a page of another origin is rejected without a preflight request",
        arguments: [[], [Self.origin]]
    )
    func changes(_ origins: [String]) async throws {
        try await TestAPI.run([.todoitem, Self.open], origins: origins) { (api: TestAPI) async throws in
            let row = try await api.send(.post, "/tables/open", ["text": "x"], token: nil)
            let path = try "/tables/open/" + #require(row.json?["id"]?.string)
            #expect(try await api.send(.delete, path, token: nil).status == 200)
            let changes: [(HTTPRequest.Method, String, JSONValue?)] = [
                (.post, path, nil), (.post, "/tables/open", ["text": "y"]), (.patch, path, ["text": "y"]),
                (.delete, path, nil), (.put, "/push/installations/x", ["a": 1]), (.post, "/.auth/login/partner", [:]),
                (.post, "/api/tasks", ["task": "y"]),
            ]
            for origin in [
                "https://evil.example", "https://tasks.test", "http://tasks.test:81", "http://tasks.test.evil", "null",
                "",
            ] {
                for (method, path, body) in changes {
                    let answer = try await api.send(method, path, body, token: nil, ["Origin": origin])
                    #expect(answer.status == 403, "\(origin) \(method) \(path)")
                    #expect(answer.json?["code"] == 403)
                    #expect(answer.json?["error"] == "pages from that origin may not send requests")
                    let named = try await api.send(method, path, body, ["Origin": origin])
                    #expect(named.status == 403, "\(origin) \(method) \(path)")
                }
            }
            #expect(try await api.send(.get, "/tables/open", token: nil, ["Origin": "https://evil.example"]).json == [])
            for origin in ["http://tasks.test"] + origins {
                #expect(try await api.send(.post, path, token: nil, ["Origin": origin]).status == 201)
                #expect(try await api.send(.delete, path, token: nil, ["Origin": origin]).status == 200)
            }
            #expect(try await api.send(.post, path, token: nil).status == 201)
        }
    }

    /// A table with soft delete that clients may change without a token.
    private static var open: TableDeclaration {
        get throws {
            var table = try TableDeclaration("open", columns: [TableColumn("text", .string)])
            table.isPerUser = false
            table.hasSoftDelete = true
            for verb in TableDeclaration.Verb.allCases { table.access[verb] = .anonymous }
            return table
        }
    }
}
