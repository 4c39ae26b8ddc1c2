import Foundation
import HTTPTypes
import OAuth
import Tables
import Testing

/// Tests of tables to which a row can add columns.
@Suite(.timeLimit(.minutes(1)), .indexedStatements)
struct DynamicTableTests {
    private func run(_ test: (TestAPI) async throws -> Void) async throws {
        var table = try TableDeclaration("things", columns: [TableColumn("name", .string)])
        table.isDynamic = true
        try await TestAPI.run([table], test)
    }

    @Test("the first value of a column creates it with the value's type") func types() async throws {
        try await run { (api: TestAPI) async throws in
            let row: JSONValue = [
                "text": "x", "number": 1.5, "flag": true, "day": "2026-11-21T09:00:00.000Z", "nothing": .null,
            ]
            let made = try await api.send(.post, "/tables/things", row)
            #expect(made.status == 201 && made.json?["number"] == 1.5 && made.json?["flag"] == true)
            #expect(made.json?["day"] == "2026-11-21T09:00:00.000Z" && made.json?["nothing"] == nil)
            for (name, value) in [("text", 1), ("number", "x"), ("flag", 1), ("day", "soon")] as [(String, JSONValue)] {
                let wrong = try await api.send(.post, "/tables/things", .object([name: value]))
                #expect(wrong.status == 400 && wrong.json?["column"] == .string(name))
            }
            let id = made.json?["id"]?.string ?? ""
            let changed = try await api.send(.patch, "/tables/things/\(id)", ["Later": "é", "NUMBER": 2])
            #expect(changed.json?["Later"] == "é" && changed.json?["number"] == 2)
            let list = try await api.send(.get, "/tables/things?$filter=later%20eq%20'%C3%A9'&$orderby=day,text")
            #expect(list.json?.array == [changed.json ?? .null])
        }
    }

    @Test("invalid names, nested values and too many columns are rejected") func refusals() async throws {
        try await run { (api: TestAPI) async throws in
            for name in ["a b", "__x", "1x", "a.b", "ä", String(repeating: "a", count: 65)] {
                let refused = try await api.send(.post, "/tables/things", .object([name: 1]))
                #expect(refused.status == 400 && refused.json?["column"] == .string(name))
            }
            for value in [["x"], ["a": 1]] as [JSONValue] {
                #expect(try await api.send(.post, "/tables/things", ["deep": value]).status == 400)
            }
            var many: [String: JSONValue] = [:]
            for index in 0..<99 { many["c\(index)"] = .int(Int64(index)) }
            #expect(try await api.send(.post, "/tables/things", .object(many)).status == 201)
            #expect(try await api.send(.post, "/tables/things", ["more": 1]).status == 400)
            #expect(try await api.send(.post, "/tables/things", ["c1": 1]).status == 201)
        }
    }

    @Test(
        "a column that no row has is null in queries, and later in the earlier rows",
        arguments: [
            ("fresh eq 1", 0, 7), ("fresh eq null", 2, 7), ("fresh ne null", 0, 7), ("not (fresh eq 1)", 0, 7),
            ("fresh eq name", 0, "t"), ("fresh", 0, true), ("not fresh", 0, true), ("fresh in (1,null)", 2, 7),
            ("fresh add 1 gt 0", 0, 7), ("fresh gt 1 or name eq 'a'", 1, 7), ("substringof('x',fresh)", 0, "t"),
            ("year(fresh) eq 2026", 0, "2026-01-01T00:00:00.000Z"), ("length(fresh) eq 0", 0, "t"),
            ("FRESH lt 'x'", 0, "t"),
        ] as [(String, Int, JSONValue)]
    )
    func unmade(_ filter: String, _ count: Int, _ value: JSONValue) async throws {
        try await run { (api: TestAPI) async throws in
            for name in ["b", "a"] {
                #expect(try await api.send(.post, "/tables/things", ["name": .string(name)]).status == 201)
            }
            let query = "$filter=" + (filter.addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? "")
            let before = try await api.send(.get, "/tables/things?\(query)")
            #expect(before.status == 200 && before.json?.array?.count == count, "\(before.text)")
            #expect(try await api.send(.post, "/tables/things", ["id": "c", "fresh": value]).status == 201)
            #expect(try await api.send(.delete, "/tables/things/c").status == 200)
            let after = try await api.send(.get, "/tables/things?\(query)")
            #expect(after.status == 200 && after.json?.array?.count == count, "\(after.text)")
        }
    }

    @Test("orders and selections may name columns that a row can still add, but no impossible ones") func open()
        async throws
    {
        try await run { (api: TestAPI) async throws in
            for name in ["b", "a"] {
                #expect(try await api.send(.post, "/tables/things", ["name": .string(name)]).status == 201)
            }
            let sorted = try await api.send(.get, "/tables/things?$orderby=fresh%20desc,name&$select=name,fresh")
            #expect(sorted.json == [["name": "a"], ["name": "b"]], "\(sorted.text)")
            #expect(try await api.send(.get, "/tables/things?$select=fresh").json == [[:], [:]])
            #expect(try await api.send(.delete, "/tables/things?$filter=fresh%20eq%201").json == [])
            for wrong in ["$filter=__fresh%20eq%201", "$orderby=__fresh", "$select=__fresh", "$filter=fr.sh%20eq%201"] {
                let refused = try await api.send(.get, "/tables/things?\(wrong)")
                #expect(refused.status == 400, "\(wrong)")
            }
        }
    }

    @Test("a rejected row adds no column") func refused() async throws {
        try await run { (api: TestAPI) async throws in
            #expect(try await api.send(.post, "/tables/things", ["id": "a"]).status == 201)
            #expect(try await api.send(.post, "/tables/things", ["id": "a", "fresh": 1]).status == 409)
            #expect(try await api.send(.patch, "/tables/things/b", ["fresh": 1]).status == 404)
            #expect(try await api.send(.post, "/tables/things", ["fresh": "text"]).json?["fresh"] == "text")
        }
    }

    @Test("a row that exceeds the maximum length is 413 and stays unchanged") func tooLong() async throws {
        try await run { (api: TestAPI) async throws in
            #expect(try await api.send(.post, "/tables/things", ["id": "a"]).status == 201)
            let text = JSONValue.string(String(repeating: "x", count: 60_000))
            var answer = try await api.send(.patch, "/tables/things/a", ["c0": text])
            var (columns, last) = (1, answer.json)
            while answer.status == 200, columns < 100 {
                last = answer.json
                answer = try await api.send(.patch, "/tables/things/a", .object(["c\(columns)": text]))
                columns += 1
            }
            #expect(answer.status == 413 && answer.json?["code"] == 413 && columns == 35)
            #expect(try await api.send(.get, "/tables/things/a").json == last)
        }
    }

    @Test("rows that add the same column at once agree on it") func together() async throws {
        try await run { (api: TestAPI) async throws in
            let token = try api.token()
            let statuses = try await withThrowingTaskGroup(of: Int.self) { group in
                for index in 0..<20 {
                    let name = index % 2 == 0 ? "Same" : "same"
                    group.addTask {
                        try await api.send(.post, "/tables/things", .object([name: 1]), token: token).status
                    }
                }
                return try await group.reduce(into: []) { $0.append($1) }
            }
            #expect(statuses.allSatisfy { $0 == 201 })
            #expect(try await api.send(.get, "/tables/things?$filter=same%20eq%201").json?.array?.count == 20)
        }
    }
}
