import HTTPTypes
import OAuth
import Tables
import Testing

/// Tests of `If-Match`, `If-None-Match`, undelete and conditional deletion.
@Suite(.timeLimit(.minutes(1)), .indexedStatements)
struct TableConditionTests {
    private let path = "/tables/todoitem/a"

    private func insert(_ api: TestAPI) async throws -> TestAPI.Answer {
        try await api.send(.post, "/tables/todoitem", ["id": "a", "text": "milk"])
    }

    @Test("a list of tags matches if one does, a weak tag never does, and * matches any row") func match() async throws
    {
        try await TestAPI.run { (api: TestAPI) async throws in
            let tag = try await insert(api)["ETag"] ?? ""
            let weak = try await api.send(.patch, path, ["text": "x"], ["If-Match": "W/\(tag)"])
            #expect(weak.status == 412 && weak.json?["text"] == "milk" && weak["ETag"] == tag)
            let list = try await api.send(.patch, path, ["text": "x"], ["If-Match": "\"no\", \(tag)"])
            #expect(list.status == 200)
            #expect(try await api.send(.patch, path, ["text": "y"], ["If-Match": "*"]).status == 200)
            #expect(try await api.send(.patch, "/tables/todoitem/b", ["text": "y"], ["If-Match": "*"]).status == 404)
            #expect(try await api.send(.get, path, nil, ["If-Match": tag]).status == 412)
        }
    }

    @Test("a reader that has the current row gets 304 without a body") func notModified() async throws {
        try await TestAPI.run { (api: TestAPI) async throws in
            let tag = try await insert(api)["ETag"] ?? ""
            for field in [tag, "W/\(tag)", "\"x\", \(tag)", "*"] {
                let answer = try await api.send(.get, path, nil, ["If-None-Match": field])
                #expect(answer.status == 304 && answer.text.isEmpty && answer["ETag"] == tag)
            }
            #expect(try await api.send(.get, path, nil, ["If-None-Match": "\"x\""]).status == 200)
            #expect(try await api.send(.get, path, nil, ["If-None-Match": "x"]).status == 400)
            #expect(try await api.send(.get, "/tables/todoitem/b", nil, ["If-None-Match": "*"]).status == 404)
        }
    }

    @Test("a write that requires a missing row is rejected with the existing row") func noneMatch() async throws {
        try await TestAPI.run { (api: TestAPI) async throws in
            let none = ["If-None-Match": "*"]
            let first = try await api.send(.post, "/tables/todoitem", ["id": "a", "text": "milk"], none)
            #expect(first.status == 201)
            let again = try await api.send(.post, "/tables/todoitem", ["id": "a", "text": "x"], none)
            #expect(again.status == 412 && again.json == first.json && again["ETag"] == first["ETag"])
            #expect(try await api.send(.patch, path, ["text": "x"], none).status == 412)
            #expect(try await api.send(.delete, path, nil, none).status == 412)
            #expect(try await api.send(.delete, path, nil, ["If-None-Match": "\"x\""]).status == 200)
        }
    }

    @Test("an insert that requires a row is rejected, with the existing row if there is one")
    func matchOfInsert()
        async throws
    {
        try await TestAPI.run { (api: TestAPI) async throws in
            func insert(_ id: String?, _ match: String, key: String? = nil) async throws -> TestAPI.Answer {
                var row: [String: JSONValue] = ["text": "tea"]
                row["id"] = id.map { .string($0) }
                var fields = ["If-Match": match]
                fields["Idempotency-Key"] = key
                return try await api.send(.post, "/tables/todoitem", .object(row), fields)
            }
            for match in ["*", "\"x\""] {
                for id in ["a", nil] {
                    let answer = try await insert(id, match, key: "0f8fad5b-d9cb-469f-a165-70867728950e")
                    #expect(answer.status == 412 && answer.json?["code"] == 412 && answer["ETag"] == nil)
                }
            }
            #expect(try await api.send(.get, "/tables/todoitem").json == [])
            let made = try await api.send(.post, "/tables/todoitem", ["id": "a", "text": "milk"])
            let stale = try await insert("a", "\"x\"")
            #expect(stale.status == 412 && stale.json == made.json && stale["ETag"] == made["ETag"])
            for match in ["*", made["ETag"] ?? ""] {
                let taken = try await insert("a", match)
                #expect(taken.status == 409 && taken.json == made.json && taken["ETag"] == made["ETag"])
            }
            #expect(try await insert("b", "x").status == 400)
            let gone = try await api.send(.delete, path)
            let deleted = try await insert("a", "*")
            #expect(deleted.status == 412 && deleted.json == gone.json)
        }
    }

    @Test("a deleted row is restored with a new version, and an existing row stays unchanged")
    func undelete() async throws {
        try await TestAPI.run { (api: TestAPI) async throws in
            #expect(try await api.send(.post, path).status == 404)
            let made = try await insert(api)
            let gone = try await api.send(.delete, path)
            let stale = try await api.send(.post, path, nil, ["If-Match": made["ETag"] ?? ""])
            #expect(stale.status == 412 && stale.json == gone.json && stale["ETag"] == gone["ETag"])
            #expect(try await api.send(.post, path, ["text": "x"]).status == 400)
            #expect(try await api.send(.post, path, nil, token: api.token("bob")).status == 404)
            let back = try await api.send(.post, path, nil, ["If-Match": gone["ETag"] ?? ""])
            #expect(back.status == 201 && back.json?["deleted"] == false && back.json?["text"] == "milk")
            #expect(back["ETag"] != gone["ETag"])
            #expect(try await api.send(.get, path).json == back.json)
            let again = try await api.send(.post, path)
            #expect(again.status == 201 && again.json == back.json)
            _ = try await api.send(.delete, path)
            #expect(try await api.send(.post, path, nil, ["If-Match": "*"]).status == 201)
        }
    }

    @Test("a table without tombstones restores nothing") func hard() async throws {
        var table = try TableDeclaration("notes", columns: [TableColumn("text", .string)])
        table.hasSoftDelete = false
        try await TestAPI.run([table]) { (api: TestAPI) async throws in
            _ = try await api.send(.post, "/tables/notes", ["id": "a", "text": "x"])
            #expect(try await api.send(.post, "/tables/notes/a").status == 400)
            #expect(try await api.send(.delete, "/tables/notes/a").status == 200)
            #expect(try await api.send(.delete, "/tables/notes/a").status == 404)
            #expect(try await api.send(.post, "/tables/notes", ["id": "a", "text": "x"]).status == 201)
        }
    }

    @Test("rows that match a filter are deleted together, only the user's own") func deleteMatching() async throws {
        try await TestAPI.run { (api: TestAPI) async throws in
            for index in 0..<4 {
                let row: JSONValue = ["text": .string("t\(index)"), "duration": .int(Int64(index))]
                _ = try await api.send(.post, "/tables/todoitem", row)
                _ = try await api.send(.post, "/tables/todoitem", row, token: api.token("bob"))
            }
            let gone = try await api.send(.delete, "/tables/todoitem?$filter=duration%20gt%201")
            #expect(gone.status == 200 && gone.json?.array?.map { $0["text"] } == ["t2", "t3"])
            let times = gone.json?.array?.compactMap { $0["updatedAt"]?.string } ?? []
            #expect(Set(times).count == 2 && times == times.sorted())
            #expect(try await api.send(.get, "/tables/todoitem").json?.array?.count == 2)
            #expect(try await api.send(.get, "/tables/todoitem", token: api.token("bob")).json?.array?.count == 4)
            #expect(try await api.send(.delete, "/tables/todoitem?$filter=duration%20gt%201").json == [])
            for query in ["", "?$filter=", "?$filter=nothing%20eq%201", "?$filter=(", "?$top=1"] {
                #expect(try await api.send(.delete, "/tables/todoitem\(query)").status == 400)
            }
            let tagged = ["If-Match": "*"]
            #expect(try await api.send(.delete, "/tables/todoitem?$filter=true", nil, tagged).status == 400)
            #expect(try await api.send(.get, "/tables/todoitem").json?.array?.count == 2)
        }
    }

    @Test("an update may name its row only in the body") func byBody() async throws {
        try await TestAPI.run { (api: TestAPI) async throws in
            let made = try await insert(api)
            let version = made.json?["version"] ?? .null
            let changed = try await api.send(.patch, "/tables/todoitem", ["id": "a", "text": "x", "version": version])
            #expect(changed.status == 200 && changed.json?["text"] == "x")
            let stale = try await api.send(.patch, "/tables/todoitem", ["id": "a", "text": "y", "version": version])
            #expect(stale.status == 412 && stale.json == changed.json)
            #expect(try await api.send(.patch, "/tables/todoitem", ["text": "y"]).status == 400)
            #expect(try await api.send(.patch, "/tables/todoitem", ["id": "b", "text": "y"]).status == 404)
        }
    }

    @Test("a look-up accepts a selection and a filter, and rejects options of lists") func lookUp() async throws {
        try await TestAPI.run { (api: TestAPI) async throws in
            _ = try await insert(api)
            #expect(try await api.send(.get, "\(path)?$select=text").text == #"{"text":"milk"}"#)
            #expect(try await api.send(.get, "\(path)?$select=txet").status == 400)
            #expect(try await api.send(.get, "\(path)?$filter=complete").status == 404)
            for option in ["$orderby=text", "$inlinecount=allpages", "$skip=0", "$top=1", "$count=true", "$mine=1"] {
                #expect(try await api.send(.get, "\(path)?\(option)").status == 400)
            }
        }
    }

    @Test("another user's row gets the same response as a missing one, for every operation")
    func foreign() async throws {
        try await TestAPI.run { (api: TestAPI) async throws in
            _ = try await insert(api)
            let fields = ["client-request-id": "0f8fad5b-d9cb-469f-a165-70867728950e", "If-Match": "*"]
            for (method, body) in [
                (.get, nil), (.patch, ["text": "x"]), (.delete, nil), (.post, nil),
            ] as [(HTTPRequest.Method, JSONValue?)] {
                let theirs = try await api.send(method, path, body, token: api.token("bob"), fields)
                let absent = try await api.send(method, "/tables/todoitem/b", body, token: api.token("bob"), fields)
                #expect(theirs.status == 404 && theirs.text == absent.text)
                // The `Date` fields may differ, because the server sends one response after the other.
                var (shown, expected) = (theirs.headers, absent.headers)
                #expect(shown[.date] != nil && expected[.date] != nil)
                (shown[.date], expected[.date]) = (nil, nil)
                #expect(shown == expected)
            }
            let own = try await api.send(.post, "/tables/todoitem", ["id": "a", "text": "x"], token: api.token("bob"))
            #expect(own.status == 201)
        }
    }
}
