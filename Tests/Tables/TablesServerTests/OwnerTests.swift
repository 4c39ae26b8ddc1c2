import HTTPServer
import HTTPTypes
import LocalIssuer
import Moments
import OAuth
import RemoteKeys
import Tables
import TablesServer
import TestSupport
import Testing

/// Tests with two users whose rows have the same id.
///
/// Requests by one user must never change the other user's row.
@Suite(.timeLimit(.minutes(1)), .indexedStatements)
struct OwnerTests {
    /// Returns `todoitem`, with tombstones if `softDelete` is true.
    private static func table(softDelete: Bool) throws -> TableDeclaration {
        var table = try TableDeclaration.todoitem
        table.hasSoftDelete = softDelete
        return table
    }

    /// Inserts the same row for both users, runs `test`, and checks after each request that bob's row is unchanged.
    private func scene(
        softDelete: Bool = true,
        _ test: (TestAPI, (HTTPRequest.Method, String, JSONValue?) async throws -> TestAPI.Answer) async throws -> Void
    ) async throws {
        try await TestAPI.run([Self.table(softDelete: softDelete)]) { (api: TestAPI) async throws in
            let bob = try api.token("bob")
            let row: JSONValue = ["id": "same", "text": "milk"]
            let his = try await api.send(.post, "/tables/todoitem", row, token: bob)
            #expect(his.status == 201)
            #expect(try await api.send(.post, "/tables/todoitem", row).status == 201)
            try await test(api) { (method, path, body) async throws in
                let answer = try await api.send(method, path, body)
                let left = try await api.send(.get, "/tables/todoitem?__includeDeleted=true", token: bob)
                #expect(left.json == [his.json ?? .null], "\(method) \(path)")
                return answer
            }
        }
    }

    @Test("an update by path or by body changes only the user's own row") func update() async throws {
        try await scene { (_, send) async throws in
            #expect(try await send(.patch, "/tables/todoitem/same", ["text": "mine"]).json?["text"] == "mine")
            let body: JSONValue = ["id": "same", "text": "again", "complete": true]
            #expect(try await send(.patch, "/tables/todoitem", body).json?["text"] == "again")
        }
    }

    @Test("a deletion and its undoing change only the user's own row", arguments: [true, false])
    func delete(_ softDelete: Bool) async throws {
        try await scene(softDelete: softDelete) { (_, send) async throws in
            #expect(try await send(.delete, "/tables/todoitem/same", nil).status == 200)
            #expect(try await send(.get, "/tables/todoitem/same", nil).status == 404)
            let back = try await send(.post, "/tables/todoitem/same", nil)
            #expect(back.status == (softDelete ? 201 : 400))
        }
    }

    @Test("a deletion by filter deletes only the user's own rows", arguments: [true, false])
    func deleteMatching(_ softDelete: Bool) async throws {
        try await scene(softDelete: softDelete) { (_, send) async throws in
            let gone = try await send(.delete, "/tables/todoitem?$filter=id%20eq%20'same'", nil)
            #expect(gone.status == 200 && gone.json?.array?.count == 1)
            #expect(try await send(.delete, "/tables/todoitem?$filter=text%20eq%20'milk'", nil).json == [])
        }
    }

    @Test("/api/tasks deletes only the user's own task, by id and by text", arguments: [true, false])
    func tasks(_ softDelete: Bool) async throws {
        try await scene(softDelete: softDelete) { (_, send) async throws in
            #expect(try await send(.get, "/api/tasks", nil).json?.array?.count == 1)
            #expect(try await send(.delete, "/api/tasks/same", nil).status == 204)
            #expect(try await send(.delete, "/api/tasks/same", nil).status == 404)
            #expect(try await send(.post, "/api/tasks", ["task": "milk"]).status == 201)
            #expect(try await send(.delete, "/api/tasks", ["task": "milk"]).status == 204)
            #expect(try await send(.get, "/api/tasks", nil).json == [])
        }
    }

    @Test("an insert's key belongs to its user, and another user's insert with it is a new insert")
    func idempotency() async throws {
        try await TestAPI.run { (api: TestAPI) async throws in
            let key = ["Idempotency-Key": "0189f7ea-0000-7000-8000-000000000001"]
            let hers = try await api.send(.post, "/tables/todoitem", ["text": "milk"], key)
            let his = try await api.send(.post, "/tables/todoitem", ["text": "milk"], token: api.token("bob"), key)
            #expect(hers.status == 201 && his.status == 201 && hers.json?["id"] != his.json?["id"])
        }
    }

    @Test("users of two authorities with the same id have separate rows") func authorities() async throws {
        let folder = try TemporaryFolder()
        let socket = folder.path("other.sock")
        let other = try LocalIssuer(base: "http://localhost:8421")
        let name = AuthorityName(base: other.base, tenant: other.tenant)
        let trust = Trust(name, at: .unixSocket(path: socket), audiences: ["tasks"])
        try await other.serve(on: [.unix(path: socket, mode: 0o600)]) { _ in
            try await TestAPI.run(others: [trust]) { (api: TestAPI) async throws in
                #expect(try await api.send(.post, "/tables/todoitem", ["id": "hers", "text": "milk"]).status == 201)
                let token = try other.token(oid: "alice", now: api.clock.now.seconds)
                #expect(try await api.send(.get, "/tables/todoitem", token: token).json == [])
                #expect(try await api.send(.get, "/tables/todoitem/hers", token: token).status == 404)
            }
        }
    }

    @Test("rows beyond a user's limits are 403 with a message, and another user's are not") func limits() async throws {
        let limits = OwnerLimits(rows: 2, bytes: 100)
        try await TestAPI.run(limits: limits) { (api: TestAPI) async throws in
            func insert(_ text: String, _ who: String) async throws -> TestAPI.Answer {
                try await api.send(.post, "/tables/todoitem", ["text": .string(text)], token: api.token(who))
            }
            let long = String(repeating: "x", count: 90)
            let first = try await insert(long, "alice")
            #expect(first.status == 201)
            let tooLong = try await insert(long, "alice")
            #expect(tooLong.status == 403 && tooLong.json?["code"] == 403)
            #expect(tooLong.json?["error"]?.string?.contains("storage limit") == true)
            #expect(try await insert("y", "alice").status == 201)
            let tooMany = try await insert("z", "alice")
            #expect(tooMany.status == 403 && tooMany.json?["error"]?.string?.contains("number of stored rows") == true)
            let task = try await api.send(.post, "/api/tasks", ["task": "z"])
            #expect(task.status == 403)
            let id = first.json?["id"]?.string ?? ""
            let grown = try await api.send(.patch, "/tables/todoitem/\(id)", ["notes": .string(long)])
            #expect(grown.status == 403)
            #expect(
                try await api.send(.patch, "/tables/todoitem/\(id)", ["text": "x", "complete": true]).status == 200
            )
            #expect(try await insert(long, "bob").status == 201)
            #expect(try await api.send(.get, "/tables/todoitem").json?.array?.count == 2)
        }
    }
}
