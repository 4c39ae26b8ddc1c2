import HTTPTypes
import OAuth
import Testing

@Suite(.timeLimit(.minutes(1)), .indexedStatements)
struct TaskRoutesTests {
    @Test("tasks are the rows of todoitem, oldest first") func sameRows() async throws {
        try await TestAPI.run { (api: TestAPI) async throws in
            let made = try await api.send(.post, "/api/tasks", ["task": "milk"])
            #expect(made.status == 201)
            _ = try await api.send(.post, "/tables/todoitem", ["text": "bread", "complete": true])
            let list = try #require(try await api.send(.get, "/api/tasks").json?.array)
            #expect(list.map { $0["task"] } == ["milk", "bread"] && list[0] == made.json)
            #expect(list[1]["completed"] == true && list[1]["owner"] == "alice")
            #expect(list[0]["creationDate"]?.string?.hasSuffix("Z") == true)
            #expect(Set(list[0].object?.keys.map { $0 } ?? []) == ["id", "task", "owner", "completed", "creationDate"])
            #expect(try await api.send(.get, "/tables/todoitem").json?.array?.count == 2)
        }
    }

    @Test("a task is deleted by id once, and by its exact text if no other task has it") func deletion() async throws {
        try await TestAPI.run { (api: TestAPI) async throws in
            let id = try await api.send(.post, "/api/tasks", ["task": "a"]).json?["id"]?.string ?? ""
            #expect(try await api.send(.delete, "/api/tasks/\(id)", token: api.token("bob")).status == 404)
            #expect(try await api.send(.delete, "/api/tasks/\(id)").status == 204)
            #expect(try await api.send(.delete, "/api/tasks/\(id)").status == 404)
            _ = try await api.send(.post, "/api/tasks", ["task": "milk"])
            #expect(try await api.send(.delete, "/api/tasks", ["task": "Milk"]).status == 404)
            #expect(try await api.send(.delete, "/api/tasks", ["task": "milk"]).status == 204)
            for _ in 0..<2 { _ = try await api.send(.post, "/api/tasks", ["task": "bread"]) }
            let several = try await api.send(.delete, "/api/tasks", ["task": "bread"])
            #expect(several.status == 409 && several.json?["ids"]?.array?.count == 2)
        }
    }

    @Test(
        "the protection of the table todoitem, or of a row, applies to its tasks too",
        arguments: ["/tables/todoitem", "/Tables/TodoItem", "/tables"]
    )
    func protected(_ path: String) async throws {
        try await TestAPI.run(protectedPaths: [path: "special"]) { (api: TestAPI) async throws in
            let scopes = "tasks.read tasks.write special"
            let special = try api.token(scopes: scopes)
            let id = try await api.send(.post, "/api/tasks", ["task": "milk"], token: special).json?["id"]?.string ?? ""
            for spelling in ["/api/tasks", "/API/t%61sks", "/api/tasks?$top=1"] {
                let nobody = try await api.send(.get, spelling, token: nil)
                #expect(nobody.status == 401 && nobody.text == "Unauthorized")
                let poor = try await api.send(.get, spelling)
                #expect(poor.status == 403)
                #expect(WWWAuthenticate(poor["WWW-Authenticate"] ?? "")?.scopes.scopeText == "special")
            }
            #expect(try await api.send(.post, "/api/tasks", ["task": "bread"]).status == 403)
            #expect(try await api.send(.delete, "/api/tasks", ["task": "milk"]).status == 403)
            #expect(try await api.send(.delete, "/api/tasks/\(id)").status == 403)
            #expect(try await api.send(.get, "/api/tasks", token: special).json?.array?.count == 1)
            #expect(try await api.send(.delete, "/api/tasks/\(id)", token: special).status == 204)
        }
        try await TestAPI.run(protectedPaths: [path: "special", "/api/tasks": "more"]) { (api: TestAPI) async throws in
            for scope in ["special", "more"] {
                let token = try api.token(scopes: "tasks.read \(scope)")
                #expect(try await api.send(.get, "/api/tasks", token: token).status == 403)
            }
            let both = try api.token(scopes: "tasks.read special more")
            #expect(try await api.send(.get, "/api/tasks", token: both).status == 200)
            let table = try api.token(scopes: "tasks.read special")
            #expect(try await api.send(.get, "/tables/todoitem", token: table).status == 200)
        }
    }

    @Test("a task whose row is protected cannot be deleted by its id or by its text")
    func protectedRow()
        async throws
    {
        let id = "01900000-0000-7000-8000-000000000001"
        try await TestAPI.run(protectedPaths: ["/tables/todoitem/\(id)": "special"]) { (api: TestAPI) async throws in
            _ = try await api.send(.post, "/tables/todoitem", ["id": .string(id), "text": "milk"])
            #expect(try await api.send(.delete, "/api/tasks/\(id)").status == 403)
            #expect(try await api.send(.delete, "/api/tasks", ["task": "milk"]).status == 403)
            _ = try await api.send(.post, "/api/tasks", ["task": "bread"])
            #expect(try await api.send(.delete, "/api/tasks", ["task": "bread"]).status == 204)
            let special = try api.token(scopes: "tasks.write special")
            #expect(try await api.send(.delete, "/api/tasks", ["task": "milk"], token: special).status == 204)
        }
    }

    @Test("long lists are linked") func pages() async throws {
        try await TestAPI.run { (api: TestAPI) async throws in
            for index in 0..<51 { _ = try await api.send(.post, "/api/tasks", ["task": .string("t\(index)")]) }
            let first = try await api.send(.get, "/api/tasks")
            #expect(first.json?.array?.count == 50)
            #expect(first["Link"] == "http://tasks.test/api/tasks?$skip=50; rel=next")
        }
    }

    @Test(
        "what is not {\"task\": TEXT} is 400",
        arguments: [[:], ["task": 1], ["Text": "x"], ["task": "x", "owner": "bob"]] as [JSONValue]
    )
    func invalid(_ body: JSONValue) async throws {
        try await TestAPI.run { (api: TestAPI) async throws in
            let answer = try await api.send(.post, "/api/tasks", body)
            #expect(answer.status == 400)
        }
    }

    @Test("unsupported options of a list of tasks are 400 and named, and nothing is done") func options() async throws {
        try await TestAPI.run { (api: TestAPI) async throws in
            for index in 0..<3 { _ = try await api.send(.post, "/api/tasks", ["task": .string("t\(index)")]) }
            let names = [
                "$filter=text%20eq%20't1'", "$orderby=text%20desc", "$inlinecount=allpages", "$count=true",
                "$select=id",
                "__includeDeleted=true", "__systemproperties=*", "$nonsense=1",
            ]
            for option in names {
                for (method, body) in [
                    (HTTPRequest.Method.get, nil), (.post, ["task": "x"]), (.delete, ["task": "t0"]),
                ]
                    as [(HTTPRequest.Method, JSONValue?)]
                {
                    let answer = try await api.send(method, "/api/tasks?more=1&\(option)", body)
                    let name = String(option.prefix { $0 != "=" })
                    #expect(answer.status == 400 && answer.json?["error"]?.string?.contains("'\(name)'") == true)
                }
            }
            #expect(try await api.send(.delete, "/api/tasks?$top=1", ["task": "t0"]).status == 400)
            let page = try await api.send(.get, "/api/tasks?more=1&$skip=1&$top=1")
            #expect(page.status == 200 && page.json?.array?.map { $0["task"] } == ["t1"])
            #expect(try await api.send(.get, "/api/tasks").json?.array?.count == 3)
        }
    }

    @Test("a request without a token is 401") func unauthorized() async throws {
        try await TestAPI.run { (api: TestAPI) async throws in
            for (method, path) in [
                (HTTPRequest.Method.get, "/api/tasks"), (.post, "/api/tasks"), (.delete, "/api/tasks/a"),
            ] {
                #expect(try await api.send(method, path, token: nil).status == 401)
            }
        }
    }
}
