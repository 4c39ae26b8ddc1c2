import HTTPTypes
import OAuth
import Tables
import Testing

/// Tests of requests as Datasync clients send them, in version 3.0.0 of the protocol.
@Suite(.timeLimit(.minutes(1)), .indexedStatements)
struct DatasyncTests {
    private let list = "/tables/todoitem"
    private let path = "/tables/todoitem/a"

    private func send(
        _ api: TestAPI,
        _ method: HTTPRequest.Method,
        _ path: String,
        _ body: JSONValue? = nil,
        match tag: String? = nil,
        fields: [String: String] = [:]
    ) async throws -> TestAPI.Answer {
        var fields = fields.merging(["ZUMO-API-VERSION": "3.0.0"]) { $1 }
        fields["If-Match"] = tag
        return try await api.send(method, path, body, fields)
    }

    /// Inserts the row `a`.
    private func insert(_ api: TestAPI) async throws -> TestAPI.Answer {
        try await send(api, .post, list, ["id": "a", "text": "milk", "notes": "two", "complete": true])
    }

    @Test("the system columns of an insert are ignored, but a row cannot be inserted as deleted") func insert()
        async throws
    {
        try await TestAPI.run { (api: TestAPI) async throws in
            var row: [String: JSONValue] = [
                "id": "a", "text": "milk", "updatedAt": "0001-01-01T00:00:00.0000000+00:00", "version": "old",
                "createdAt": .null, "deleted": false,
            ]
            #expect(try await api.send(.post, list, .object(row)).status == 400, "version 2.0.0 rejects them")
            let made = try await send(api, .post, list, .object(row))
            #expect(made.status == 201 && made.json?["text"] == "milk" && made.json?["deleted"] == false)
            #expect(made.json?["updatedAt"]?.string?.hasPrefix("0001") == false && made.json?["version"] != "old")
            #expect(made["ETag"] == "\"\(made.json?["version"]?.string ?? "")\"")
            #expect(made["Location"] == "http://tasks.test\(path)")
            let again = try await send(api, .post, list, .object(row))
            #expect(again.status == 409 && again.json == made.json && again["ETag"] == made["ETag"])
            row["id"] = "b"
            row["deleted"] = true
            let deleted = try await send(api, .post, list, .object(row))
            #expect(deleted.status == 400 && deleted.json?["column"] == "deleted")
        }
    }

    @Test("a replacement sets the missing columns to their defaults, and must be complete") func replace() async throws
    {
        try await TestAPI.run { (api: TestAPI) async throws in
            let made = try await insert(api)
            let row: JSONValue = ["id": "a", "text": "tea", "deleted": false, "version": "old", "updatedAt": .null]
            let replaced = try await send(api, .put, path, row)
            #expect(replaced.status == 200 && replaced.json?["text"] == "tea" && replaced.json?["notes"] == .null)
            #expect(replaced.json?["complete"] == false && replaced["ETag"] != made["ETag"])
            #expect(try await send(api, .get, path).json == replaced.json)
            let incomplete = try await send(api, .put, path, ["id": "a", "notes": "x"])
            #expect(incomplete.status == 400 && incomplete.json?["column"] == "text")
            let other = try await send(api, .put, path, ["id": "b", "text": "x"])
            #expect(other.status == 400 && other.json?["column"] == "id")
            let deleted = try await send(api, .put, path, ["id": "a", "text": "x", "deleted": true])
            #expect(deleted.status == 400 && deleted.json?["column"] == "deleted")
            #expect(try await send(api, .put, "/tables/todoitem/b", ["id": "b", "text": "x"]).status == 404)
            #expect(try await send(api, .get, path).json == replaced.json)
        }
    }

    @Test("in version 2.0.0, a replacement must not contain columns of the system") func older() async throws {
        try await TestAPI.run { (api: TestAPI) async throws in
            _ = try await insert(api)
            #expect(try await api.send(.put, path, ["text": "x", "deleted": false]).status == 400)
            let replaced = try await api.send(.put, path, ["text": "x"])
            #expect(replaced.status == 200 && replaced.json?["notes"] == .null)
        }
    }

    @Test("only If-Match makes a replacement conditional, not the version in the body") func conditions() async throws {
        try await TestAPI.run { (api: TestAPI) async throws in
            let old = try await insert(api)["ETag"] ?? ""
            let new = try await send(api, .put, path, ["id": "a", "text": "tea"], match: old)
            #expect(new.status == 200)
            let stale = try await send(api, .put, path, ["id": "a", "text": "x"], match: old)
            #expect(stale.status == 412 && stale.json == new.json && stale["ETag"] == new["ETag"])
            let body: JSONValue = ["id": "a", "text": "x", "version": .string(String(old.dropFirst().dropLast()))]
            #expect(try await send(api, .put, path, body).status == 200)
            #expect(try await send(api, .put, path, body, match: "*").status == 200)
        }
    }

    @Test("a deletion is 204, later writes are 410 whatever their version, and an update of `deleted` restores the row")
    func deletion() async throws {
        try await TestAPI.run { (api: TestAPI) async throws in
            let made = try await insert(api)["ETag"] ?? ""
            let tag = try await send(api, .put, path, ["id": "a", "text": "tea"])["ETag"] ?? ""
            #expect(try await send(api, .delete, path, match: made).status == 412)
            let deleted = try await send(api, .delete, path, match: tag)
            #expect(deleted.status == 204 && deleted.text.isEmpty)
            let row: JSONValue = ["id": "a", "text": "x"]
            for match in [nil, made, tag] {
                let answers = [
                    try await send(api, .delete, path, match: match),
                    try await send(api, .put, path, row, match: match),
                    try await send(api, .patch, path, ["text": "x"], match: match),
                ]
                for answer in answers {
                    #expect(answer.status == 410 && answer.json?["key"] == "tables.rowDeleted", "\(answer.text)")
                }
            }
            #expect(try await api.send(.delete, path).status == 409)
            #expect(try await send(api, .patch, path, ["deleted": true]).status == 400)
            #expect(try await send(api, .patch, path, ["deleted": false, "text": "x"]).status == 400)
            #expect(try await api.send(.patch, path, ["deleted": false]).status == 400)
            #expect(try await send(api, .patch, path, ["deleted": false], match: tag).status == 412)
            let restored = try await send(api, .patch, path, ["deleted": false])
            #expect(restored.status == 200 && restored.json?["deleted"] == false && restored.json?["text"] == "tea")
        }
    }

    @Test("a deleted row is 410, and `__includedeleted=true` reads it, and restores it with a replacement")
    func includingDeleted() async throws {
        try await TestAPI.run { (api: TestAPI) async throws in
            let all = path + "?__includedeleted=true"
            let made = try await insert(api)["ETag"] ?? ""
            #expect(try await send(api, .get, all).json?["text"] == "milk")
            #expect(try await send(api, .delete, path).status == 204)
            for query in ["", "?__includedeleted=false", "?$filter=text%20eq%20'milk'"] {
                let gone = try await send(api, .get, path + query)
                #expect(gone.status == 410 && gone.json?["key"] == "tables.rowDeleted", "\(gone.text)")
            }
            #expect(try await send(api, .get, path + "?$filter=text%20eq%20'tea'").status == 404)
            #expect(try await send(api, .get, path, match: made).status == 410)
            #expect(try await api.send(.get, all).status == 404, "version 2.0.0 finds no deleted row")
            let dead = try await send(api, .get, all)
            #expect(dead.status == 200 && dead.json?["deleted"] == true && dead["ETag"] == "\"\(version(dead))\"")
            let row: JSONValue = ["id": "a", "text": "tea", "deleted": false, "version": .string(version(dead))]
            #expect(try await send(api, .put, path, row).status == 410)
            #expect(try await send(api, .put, path + "?__includedeleted=false", row).status == 410)
            #expect(try await api.send(.put, all, ["text": "tea"]).status == 409)
            #expect(try await send(api, .patch, all, ["text": "tea"]).status == 410)
            let stale = try await send(api, .put, all, row, match: made)
            #expect(stale.status == 412 && stale.json == dead.json && stale["ETag"] == dead["ETag"])
            #expect(try await send(api, .put, all, ["id": "a", "notes": "x"]).json?["column"] == "text")
            #expect(try await send(api, .get, path).status == 410)
            let restored = try await send(api, .put, all, row, match: dead["ETag"])
            #expect(restored.status == 200 && restored.json?["deleted"] == false && restored.json?["text"] == "tea")
            #expect(restored.json?["notes"] == .null && restored["ETag"] != dead["ETag"])
            #expect(try await send(api, .get, path).json == restored.json)
            #expect(try await send(api, .put, "/tables/todoitem/b?__includedeleted=true", ["text": "x"]).status == 404)
            #expect(try await send(api, .delete, path).status == 204)
            #expect(try await send(api, .put, all, row, match: "*").status == 200)
            #expect(try await send(api, .put, all, row).status == 200, "a row that is not deleted is replaced")
        }
    }

    @Test("a user neither reads nor restores the deleted row of another user") func owners() async throws {
        try await TestAPI.run { (api: TestAPI) async throws in
            _ = try await insert(api)
            #expect(try await send(api, .delete, path).status == 204)
            let (all, version) = (path + "?__includedeleted=true", ["ZUMO-API-VERSION": "3.0.0"])
            let bob = try api.token("bob")
            #expect(try await api.send(.get, path, nil, token: bob, version).status == 404)
            #expect(try await api.send(.get, all, nil, token: bob, version).status == 404)
            #expect(try await api.send(.put, all, ["text": "x"], token: bob, version).status == 404)
            #expect(try await send(api, .get, path).status == 410)
        }
    }

    private func version(_ answer: TestAPI.Answer) -> String { answer.json?["version"]?.string ?? "" }

    @Test("columns that only the server sets can be repeated, but not changed") func serverColumns() async throws {
        var user = TableColumn("user", .string)
        user.source = .oid
        var stamp = TableColumn("stamp", .date)
        stamp.source = .now
        let table = try TableDeclaration("note", columns: [TableColumn("text", .string), user, stamp])
        try await TestAPI.run([table]) { (api: TestAPI) async throws in
            let made = try await send(api, .post, "/tables/note", ["id": "a", "text": "x", "user": .null])
            #expect(made.status == 201 && made.json?["user"] == "alice")
            var row = try #require(made.json?.object)
            row["text"] = "y"
            let replaced = try await send(api, .put, "/tables/note/a", .object(row))
            #expect(replaced.status == 200 && replaced.json?["text"] == "y", "\(replaced.text)")
            #expect(replaced.json?["user"] == "alice" && replaced.json?["stamp"] == made.json?["stamp"])
            let without = try await send(api, .put, "/tables/note/a", ["id": "a", "stamp": .null])
            #expect(without.status == 200 && without.json?["stamp"] == made.json?["stamp"], "\(without.text)")
            row["user"] = "bob"
            let changed = try await send(api, .put, "/tables/note/a", .object(row))
            #expect(changed.status == 400 && changed.json?["column"] == "user")
            let inserted = try await send(api, .post, "/tables/note", ["id": "b", "user": "bob"])
            #expect(inserted.status == 400 && inserted.json?["column"] == "user")
        }
    }

    @Test("a list is an object, and the link to the next page has a path if the client requests it") func lists()
        async throws
    {
        var table = try TableDeclaration.todoitem
        table.pageSize = 1
        try await TestAPI.run([table]) { (api: TestAPI) async throws in
            for id in ["a", "b"] {
                #expect(try await send(api, .post, list, ["id": .string(id), "text": "x"]).status == 201)
            }
            let first = try await send(api, .get, list)
            #expect(first.json?["items"]?.array?.count == 1 && first.json?["count"] == nil)
            #expect(first.json?["nextLink"] == "$skip=1")
            let options = ["X-ZUMO-Options": "nextLink=path"]
            let counted = try await send(api, .get, list + "?$count=true", fields: options)
            #expect(counted.json?["count"] == 2 && counted.json?["nextLink"] == "/tables/todoitem?$skip=1&$count=true")
            let last = try await send(api, .get, "/tables/todoitem?$skip=1&$count=true", fields: options)
            #expect(last.json?["items"]?.array?.count == 1 && last.json?["nextLink"] == nil)
        }
    }
}
