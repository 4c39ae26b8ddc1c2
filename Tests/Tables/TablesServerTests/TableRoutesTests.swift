import HTTPTypes
import OAuth
import Tables
import Testing

@Suite(.timeLimit(.minutes(1)), .indexedStatements)
struct TableRoutesTests {
    @Test("a row is inserted, listed, looked up, updated and deleted") func life() async throws {
        try await TestAPI.run { (api: TestAPI) async throws in
            let made = try await api.send(.post, "/tables/TodoItem", ["text": "milk", "due": "2026-11-22T10:00:00Z"])
            #expect(made.status == 201)
            let row = try #require(made.json?.object)
            let id = try #require(row["id"]?.string)
            #expect(row["text"] == "milk" && row["complete"] == false && row["deleted"] == false)
            #expect(row["due"] == "2026-11-22T10:00:00.000Z" && row["updatedAt"]?.string?.hasSuffix("Z") == true)
            #expect(made["ETag"] == "\"\(row["version"]?.string ?? "")\"")
            #expect(try await api.send(.get, "/tables/todoitem").json?.array?.count == 1)
            let found = try await api.send(.get, "/tables/todoitem/\(id)")
            #expect(found.json == made.json && found["ETag"] == made["ETag"])
            let changed = try await api.send(
                .patch,
                "/tables/todoitem/\(id)",
                ["Complete": true],
                ["If-Match": made["ETag"] ?? ""]
            )
            #expect(changed.status == 200 && changed.json?["complete"] == true && changed["ETag"] != made["ETag"])
            let gone = try await api.send(.delete, "/tables/todoitem/\(id)", nil, ["If-Match": changed["ETag"] ?? ""])
            #expect(gone.status == 200 && gone.json?["deleted"] == true)
            #expect(try await api.send(.get, "/tables/todoitem/\(id)").status == 404)
            #expect(try await api.send(.get, "/tables/todoitem").json == [])
        }
    }

    @Test("ids are percent-encoded in URLs") func ids() async throws {
        try await TestAPI.run { (api: TestAPI) async throws in
            let made = try await api.send(.post, "/tables/todoitem", ["id": "é 'x' %41", "text": "t"])
            #expect(made.status == 201)
            let found = try await api.send(.get, "/tables/todoitem/%C3%A9%20'x'%20%2541")
            #expect(found.status == 200 && found.json?["id"] == "é 'x' %41")
        }
    }

    @Test("another user cannot see, update or delete the first user's rows") func others() async throws {
        try await TestAPI.run { (api: TestAPI) async throws in
            let bob = try api.token("bob")
            #expect(try await api.send(.post, "/tables/todoitem", ["id": "a", "text": "milk"]).status == 201)
            #expect(try await api.send(.get, "/tables/todoitem", token: bob).json == [])
            #expect(try await api.send(.get, "/tables/todoitem/a", token: bob).status == 404)
            #expect(try await api.send(.patch, "/tables/todoitem/a", ["text": "x"], token: bob).status == 404)
            #expect(try await api.send(.delete, "/tables/todoitem/a", token: bob).status == 404)
            #expect(try await api.send(.get, "/tables/todoitem/a").json?["text"] == "milk")
        }
    }

    @Test("a stale version is 412 and a taken or deleted id 409, each with the existing row") func conflicts()
        async throws
    {
        try await TestAPI.run { (api: TestAPI) async throws in
            let first = try await api.send(.post, "/tables/todoitem", ["id": "a", "text": "milk"])
            let tag = first["ETag"] ?? ""
            let second = try await api.send(.patch, "/tables/todoitem/a", ["text": "bread"])
            for method in [HTTPRequest.Method.patch, .delete] {
                let body: JSONValue? = method == .patch ? ["text": "x"] : nil
                let stale = try await api.send(method, "/tables/todoitem/a", body, ["If-Match": tag])
                #expect(stale.status == 412 && stale.json == second.json && stale["ETag"] == second["ETag"])
            }
            let version = first.json?["version"] ?? .null
            let inBody = try await api.send(.patch, "/tables/todoitem/a", ["text": "x", "version": version])
            #expect(inBody.status == 412)
            let taken = try await api.send(.post, "/tables/todoitem", ["id": "a", "text": "other"])
            #expect(taken.status == 409 && taken.json == second.json && taken["ETag"] == second["ETag"])
            let gone = try await api.send(.delete, "/tables/todoitem/a", nil, ["If-Match": "*"])
            #expect(gone.status == 200)
            let again = try await api.send(.delete, "/tables/todoitem/a")
            #expect(again.status == 409 && again.json == gone.json)
            #expect(try await api.send(.patch, "/tables/todoitem/a", ["text": "x"]).status == 409)
        }
    }

    @Test("an insert with an Idempotency-Key is done once") func idempotent() async throws {
        try await TestAPI.run { (api: TestAPI) async throws in
            let key = ["Idempotency-Key": "0f8fad5b-d9cb-469f-a165-70867728950e"]
            let first = try await api.send(.post, "/tables/todoitem", ["text": "milk"], key)
            let again = try await api.send(.post, "/tables/todoitem", ["text": "milk"], key)
            #expect(again.status == 201 && again.json == first.json && again["ETag"] == first["ETag"])
            #expect(try await api.send(.post, "/tables/todoitem", ["text": "bread"], key).status == 422)
            #expect(try await api.send(.get, "/tables/todoitem").json?.array?.count == 1)
            let bad = try await api.send(.post, "/tables/todoitem", ["text": "x"], ["Idempotency-Key": "1"])
            #expect(bad.status == 400)
        }
    }

    @Test("lists have linked pages") func pages() async throws {
        try await TestAPI.run { (api: TestAPI) async throws in
            for index in 0..<60 {
                _ = try await api.send(.post, "/tables/todoitem", ["text": .string("t\(index)")])
            }
            let first = try await api.send(.get, "/tables/todoitem?a=b%20c")
            #expect(first.json?.array?.count == 50)
            #expect(first["Link"] == "http://tasks.test/tables/todoitem?$skip=50&a=b%20c; rel=next")
            let rest = try await api.send(.get, "/tables/todoitem?$skip=50&a=b%20c")
            #expect(rest.json?.array?.count == 10 && rest["Link"] == nil)
            let asked = try await api.send(.get, "/tables/todoitem?$top=55&$skip=2")
            #expect(asked.json?.array?.count == 55 && asked["Link"] == nil)
            let few = try await api.send(.get, "/tables/todoitem?%24top=3")
            #expect(few.json?.array?.count == 3 && few["Link"] == nil)
            #expect(try await api.send(.get, "/tables/todoitem?$top=0").json == [])
        }
    }

    @Test(
        "invalid options are 400",
        arguments: [
            "$filter=text eq", "$orderby=x", "$select=nothing", "$inlinecount=some", "$count=1", "$top=-1", "$top=x",
            "$top=1001", "$skip=-1", "$skip=x", "%24filter=a b", "a=%zz", "$expand=x", "__mine=1", "$top=1&$top=2",
            "$filter=length(text) eq 'x'", "$filter=completed eq true", "$filter=unknown(text)",
        ]
    )
    func options(_ query: String) async throws {
        try await TestAPI.run { (api: TestAPI) async throws in
            let answer = try await api.send(.get, "/tables/todoitem?\(query.replacing(" ", with: "%20"))")
            #expect(answer.status == 400 && answer.json?["code"] == 400 && answer.json?["error"]?.string != nil)
        }
    }

    @Test(
        "rows that violate a rule are 400 with the column, and nothing is written",
        arguments: [
            (["complete": true], "text"), (["text": 5], "text"), (["text": "x", "completed": true], "completed"),
            (["text": "x", "priority": 9], "priority"), (["text": "x", "createdAt": "now"], "createdAt"),
            (["text": ["x"]], "text"), (["text": "x", "id": "a/b"], "id"),
            (["text": "x", "duration": 9_007_199_254_740_993], "duration"),
        ] as [(JSONValue, String)]
    )
    func invalid(_ body: JSONValue, _ column: String) async throws {
        try await TestAPI.run { (api: TestAPI) async throws in
            let answer = try await api.send(.post, "/tables/todoitem", body)
            #expect(answer.status == 400 && answer.json?["column"] == .string(column))
            #expect(try await api.send(.get, "/tables/todoitem").json == [])
        }
    }

    @Test("a body that is not a JSON object is rejected, and so is an id that differs from the path")
    func bodies() async throws {
        try await TestAPI.run { (api: TestAPI) async throws in
            #expect(try await api.send(.post, "/tables/todoitem", ["x"]).status == 400)
            #expect(try await api.send(.post, "/tables/todoitem").status == 400)
            let form = ["Content-Type": "application/x-www-form-urlencoded"]
            #expect(try await api.send(.post, "/tables/todoitem", ["text": "x"], form).status == 415)
            _ = try await api.send(.post, "/tables/todoitem", ["id": "a", "text": "x"])
            #expect(try await api.send(.patch, "/tables/todoitem/a", ["id": "b"]).status == 400)
            let bad = try await api.send(.patch, "/tables/todoitem/a", ["text": "y"], ["If-Match": "nonsense"])
            #expect(bad.status == 400)
        }
    }

    @Test("unknown tables and ids are 404, and disabled operations 405") func missing() async throws {
        var table = try TableDeclaration("notes", columns: [TableColumn("text", .string)])
        table.access = [.read: .disabled, .delete: .admin]
        try await TestAPI.run([table]) { (api: TestAPI) async throws in
            #expect(try await api.send(.get, "/tables/other").status == 404)
            let disabled = try await api.send(.get, "/tables/notes")
            #expect(disabled.status == 405 && disabled.json?["error"] == "Method read is not allowed")
            #expect(disabled["Allow"] == "POST, PUT, PATCH, DELETE")
            #expect(try await api.send(.delete, "/tables/notes/a").status == 403)
            #expect(try await api.send(.patch, "/tables/notes/a%2Fb", ["text": "x"]).status == 400)
        }
    }

    @Test("an anonymous table needs no token, but rejects an invalid one") func anonymous() async throws {
        var table = try TableDeclaration("news", columns: [TableColumn("text", .string)])
        table.isPerUser = false
        table.access = [.read: .anonymous]
        try await TestAPI.run([table]) { (api: TestAPI) async throws in
            #expect(try await api.send(.post, "/tables/news", ["text": "x"]).status == 201)
            #expect(try await api.send(.get, "/tables/news", token: nil).json?.array?.count == 1)
            #expect(try await api.send(.get, "/tables/news", token: "garbage").status == 401)
            #expect(try await api.send(.post, "/tables/news", ["text": "x"], token: nil).status == 401)
        }
    }

    @Test(
        "only supported protocol versions are accepted",
        arguments: [("2.0.0", 200), ("2.0.7", 200), ("3.0.0", 200), ("1.0.0", 400), ("2.1.0", 400), ("", 400)]
    )
    func versions(_ version: String, _ status: Int) async throws {
        try await TestAPI.run { (api: TestAPI) async throws in
            let answer = try await api.send(.get, "/tables/todoitem", nil, ["ZUMO-API-VERSION": version])
            #expect(answer.status == status)
            #expect(try await api.send(.get, "/tables/todoitem?zumo-api-version=\(version)").status == status)
        }
    }

    @Test(
        "an unsupported method is 405 with the supported ones",
        arguments: ["PUT", "TRACE", "OPTIONS", "FOO"]
    )
    func otherMethods(_ name: String) async throws {
        let method = try #require(HTTPRequest.Method(name))
        try await TestAPI.run(origins: ["https://app.example"]) { (api: TestAPI) async throws in
            let list = try await api.send(method, "/tables/todoitem")
            #expect(list.status == 405 && list["Allow"] == "GET, HEAD, POST, PATCH, DELETE")
            if method != .put {
                let row = try await api.send(method, "/tables/todoitem/a")
                #expect(row.status == 405 && row["Allow"] == "GET, HEAD, POST, PUT, PATCH, DELETE")
            }
            #expect(try await api.send(method, "/protected")["Allow"] == "GET, HEAD")
            #expect(try await api.send(method, "/nowhere").status == 404)
            #expect(try await api.send(method, "/protected", token: "garbage").status == 401)
        }
    }

    @Test("HEAD of a row has its fields and no body") func head() async throws {
        try await TestAPI.run { (api: TestAPI) async throws in
            _ = try await api.send(.post, "/tables/todoitem", ["id": "a", "text": "x"])
            let (get, head) = (
                try await api.send(.get, "/tables/todoitem/a"), try await api.send(.head, "/tables/todoitem/a")
            )
            #expect(head.status == 200 && head.text.isEmpty)
            #expect(head["ETag"] == get["ETag"] && head["Content-Length"] == get["Content-Length"])
        }
    }
}
