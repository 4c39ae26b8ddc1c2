import HTTPTypes
import OAuth
import Tables
import Testing

/// Tests of tables that use version 1 of the protocol (`compat: v1`).
@Suite(.timeLimit(.minutes(1)), .indexedStatements)
struct FirstVersionTests {
    private func run(_ test: (TestAPI) async throws -> Void) async throws {
        var table = try TableDeclaration.todoitem
        table.compatibility = .v1
        try await TestAPI.run([table], test)
    }

    @Test("system columns are returned on request") func systemProperties() async throws {
        try await run { (api: TestAPI) async throws in
            let made = try await api.send(.post, "/tables/todoitem", ["id": "a b", "text": "x"])
            #expect(made.status == 201 && made["Location"] == "http://tasks.test/tables/todoitem/a%20b")
            #expect(made.json?["__version"] == nil && made.json?["version"] == nil && made["ETag"] != nil)
            for (asked, names) in [
                ("*", ["__createdAt", "__updatedAt", "__version", "__deleted"]), ("__version", ["__version"]),
                ("CREATEDAT,__updatedAt", ["__createdAt", "__updatedAt"]),
            ] {
                let row = try await api.send(.get, "/tables/todoitem/a%20b?__systemproperties=\(asked)")
                let shown = row.json?.object?.keys.filter { $0.hasPrefix("__") } ?? []
                #expect(Set(shown) == Set(names))
                let list = try await api.send(.get, "/tables/todoitem?__SystemProperties=\(asked)")
                #expect(list.json?.array == [row.json ?? .null])
            }
            let changed = try await api.send(.patch, "/tables/todoitem/a%20b?__systemproperties=*", ["text": "y"])
            #expect(changed.json?["__version"]?.string.map { "\"\($0)\"" } == changed["ETag"])
            #expect(try await api.send(.get, "/tables/todoitem?__systemproperties=nothing").status == 400)
            let since = "$filter=__updatedAt%20ge%20datetimeoffset'2020-01-01T00:00:00.000Z'&$orderby=__updatedAt"
            #expect(try await api.send(.get, "/tables/todoitem?\(since)").json?.array?.count == 1)
        }
    }

    @Test("a deleted row looks like one that never existed, until it is restored") func deletion() async throws {
        try await run { (api: TestAPI) async throws in
            _ = try await api.send(.post, "/tables/todoitem", ["id": "a", "text": "x"])
            let gone = try await api.send(.delete, "/tables/todoitem/a")
            #expect(gone.status == 204 && gone.text.isEmpty)
            #expect(try await api.send(.delete, "/tables/todoitem/a").status == 404)
            #expect(try await api.send(.patch, "/tables/todoitem/a", ["text": "y"]).status == 404)
            #expect(try await api.send(.post, "/tables/todoitem/a", ["text": "y"]).status == 400)
            #expect(try await api.send(.post, "/tables/todoitem/a").status == 200)
            #expect(try await api.send(.delete, "/tables/todoitem?$filter=text%20eq%20'x'").status == 204)
        }
    }

    @Test("names with __ are reserved by the protocol, and only one version is accepted") func reserved() async throws {
        try await run { (api: TestAPI) async throws in
            let made = try await api.send(.post, "/tables/todoitem", ["id": "a", "text": "x"])
            for name in ["__createdAt", "__deleted", "__mine", "updatedAt"] {
                let refused = try await api.send(.patch, "/tables/todoitem/a", .object([name: "x"]))
                #expect(refused.status == 400 && refused.json?["column"] == .string(name))
            }
            let stale = try await api.send(.patch, "/tables/todoitem/a", ["text": "y", "__version": "old"])
            #expect(stale.status == 412 && stale.json?["text"] == "x")
            let tags = ["If-Match": "\"x\", \(made["ETag"] ?? "")"]
            #expect(try await api.send(.patch, "/tables/todoitem/a", ["text": "y"], tags).status == 400)
            let nobody = try await api.send(.get, "/tables/todoitem", token: nil)
            #expect(nobody.status == 401 && nobody.json?["code"] == 401)
        }
    }
}
