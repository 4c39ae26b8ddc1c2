import HTTPTypes
import OAuth
import Tables
import TablesStore
import TestSupport
import Testing

/// Tests of requests for lists of rows, with their query options.
@Suite(.timeLimit(.minutes(1)), .indexedStatements)
struct TableListTests {
    /// Inserts one row for each text, with durations that count from 0.
    private func fill(_ api: TestAPI, _ texts: [String]) async throws {
        for (index, text) in texts.enumerated() {
            let row: JSONValue = ["id": .string("r\(index)"), "text": .string(text), "duration": .int(Int64(index))]
            #expect(try await api.send(.post, "/tables/todoitem", row).status == 201)
        }
    }

    private func list(_ api: TestAPI, _ query: String) async throws -> TestAPI.Answer {
        try await api.send(.get, "/tables/todoitem?\(query.replacing(" ", with: "%20"))")
    }

    private func texts(_ answer: TestAPI.Answer) -> [String] {
        answer.json?.array?.compactMap { $0["text"]?.string } ?? []
    }

    @Test("a filter, an order, a count and an offset select the rows") func query() async throws {
        try await TestAPI.run { (api: TestAPI) async throws in
            try await fill(api, ["b", "a", "d", "c"])
            #expect(texts(try await list(api, "$filter=duration ge 1")) == ["a", "d", "c"])
            #expect(texts(try await list(api, "$orderby=text desc")) == ["d", "c", "b", "a"])
            #expect(texts(try await list(api, "$orderby=text&$skip=1&$top=2")) == ["b", "c"])
            #expect(texts(try await list(api, "$filter=not (text eq 'a') and not complete")) == ["b", "d", "c"])
            #expect(texts(try await list(api, "$filter=id eq 'r2'")) == ["d"])
            #expect(texts(try await list(api, "$filter=startswith(text,'%')")).isEmpty)
        }
    }

    @Test("texts are sorted linguistically") func linguistic() async throws {
        try await TestAPI.run { (api: TestAPI) async throws in
            try await fill(api, ["Zoe", "Amores Perros", "amélie", "Amélie", "zebra", "Émile"])
            let sorted = texts(try await list(api, "$orderby=text"))
            #expect(sorted == ["amélie", "Amélie", "Amores Perros", "Émile", "zebra", "Zoe"])
        }
    }

    @Test("a selection returns only its columns, in its order") func selection() async throws {
        try await TestAPI.run { (api: TestAPI) async throws in
            try await fill(api, ["x"])
            let answer = try await list(api, "$select=Duration,text,version")
            let version = try #require(try await list(api, "").json?.array?[0]["version"]?.string)
            #expect(answer.text == #"[{"duration":0,"text":"x","version":"\#(version)"}]"#)
        }
    }

    @Test("a count includes all matching rows, whatever the page") func counts() async throws {
        try await TestAPI.run { (api: TestAPI) async throws in
            try await fill(api, ["a", "b", "c"])
            let old = try await list(api, "$filter=duration ge 1&$top=1&$inlinecount=allpages")
            #expect(old.json?["count"] == 2 && old.json?["results"]?.array?.count == 1)
            let none = try await list(api, "$top=0&$inlinecount=allpages")
            #expect(none.json == ["results": [], "count": 3])
            #expect(try await list(api, "$inlinecount=none").json?.array?.count == 3)
            let new = try await api.send(
                .get,
                "/tables/todoitem?$count=true&$top=60",
                nil,
                ["ZUMO-API-VERSION": "3.0.0"]
            )
            #expect(new.json?["count"] == 3 && new.json?["items"]?.array?.count == 3 && new.json?["nextLink"] == nil)
        }
    }

    @Test("a full page links to the next one, with all other options") func links() async throws {
        var table = try TableDeclaration.todoitem
        table.pageSize = 2
        try await TestAPI.run([table]) { (api: TestAPI) async throws in
            try await fill(api, ["a", "b", "c", "d", "e"])
            let first = try await list(api, "$filter=duration ge 1&x=1&x=2")
            #expect(
                first["Link"]
                    == "http://tasks.test/tables/todoitem?$skip=2&$filter=duration%20ge%201&x=1&x=2; rel=next"
            )
            #expect(texts(first) == ["b", "c"])
            #expect(try await list(api, "$filter=duration ge 3")["Link"] == nil)
            // With `$top`, the client gets that number of rows and no link to more.
            let asked = try await list(api, "$filter=duration ge 1&$top=3")
            #expect(texts(asked) == ["b", "c", "d"] && asked["Link"] == nil)
            let new = try await list(api, "$count=true&$skip=1")
            #expect(new.json?["nextLink"] == "$skip=3&$count=true")
        }
    }

    @Test("a page of long rows ends early and links to the rest of the requested rows") func longRows()
        async throws
    {
        try await TestAPI.run { (api: TestAPI) async throws in
            let notes = JSONValue.string(String(repeating: "n", count: 60_000))
            for index in 0..<150 {
                let row: JSONValue = ["id": .string("r\(1000 + index)"), "text": "x", "notes": notes]
                #expect(try await api.send(.post, "/tables/todoitem", row).status == 201)
            }
            let first = try await list(api, "$top=145&$select=id,notes")
            let count = try #require(first.json?.array?.count)
            #expect(count * 60_000 >= TablesStore.maxPageLength - 2 * 60_000 && count < 145)
            #expect(first.text.utf8.count <= TablesStore.maxPageLength)
            let rest = "/tables/todoitem?$top=\(145 - count)&$skip=\(count)&$select=id,notes"
            #expect(first["Link"] == "http://tasks.test\(rest); rel=next")
            let second = try await api.send(.get, rest)
            #expect(second.json?.array?.first?["id"] == .string("r\(1000 + count)"))
            #expect(second.json?.array?.count == 145 - count && second["Link"] == nil)
        }
    }

    @Test("a request for more than the maximum number of rows is rejected") func most() async throws {
        var table = try TableDeclaration.todoitem
        table.maxTop = 10
        try await TestAPI.run([table]) { (api: TestAPI) async throws in
            #expect(try await list(api, "$top=10").status == 200)
            let many = try await list(api, "$top=11")
            #expect(many.status == 400 && many.json?["error"]?.string?.contains("more than 10 records") == true)
        }
    }

    @Test("deleted rows are returned on request, with any case of the option") func deleted() async throws {
        try await TestAPI.run { (api: TestAPI) async throws in
            try await fill(api, ["a", "b"])
            _ = try await api.send(.delete, "/tables/todoitem/r0")
            #expect(texts(try await list(api, "")) == ["b"])
            for name in ["__includeDeleted", "__includedeleted"] {
                let all = try await list(api, "\(name)=true&$orderby=text")
                #expect(all.json?.array?.map { $0["deleted"] } == [true, false])
            }
            #expect(texts(try await list(api, "__includeDeleted=false")) == ["b"])
            #expect(try await api.send(.get, "/tables/todoitem/r0?__includeDeleted=true").status == 404)
        }
    }

    @Test("an error in a filter has its position and the most similar column") func problems() async throws {
        try await TestAPI.run { (api: TestAPI) async throws in
            let syntax = try await list(api, "$filter=text eq 'x' and")
            #expect(syntax.status == 400 && syntax.json?["position"]?.int == 15)
            let column = try await list(api, "$filter=(completed eq true)")
            #expect(column.json?["error"]?.string?.contains("complete") == true && column.json?["position"]?.int == 1)
            let deep = String(repeating: "(", count: 2000) + "1 eq 1" + String(repeating: ")", count: 2000)
            #expect(try await list(api, "$filter=\(deep)").status == 400)
            let long = "$filter=text eq '" + String(repeating: "x", count: 9000) + "'"
            #expect(try await list(api, long).status == 400)
        }
    }

    @Test("a misspelled option of the protocol is rejected with its own message") func reserved() async throws {
        try await TestAPI.run { (api: TestAPI) async throws in
            for (method, body) in [(HTTPRequest.Method.get, nil), (.post, ["text": "x"])] as [(_, JSONValue?)] {
                let answer = try await api.send(method, "/tables/todoitem?$mine=1", body)
                #expect(answer.status == 400)
                #expect(
                    answer.json?["error"]
                        == "Invalid query parameter name '$mine'. Custom query parameter names must not start with $ or __."
                )
            }
            #expect(try await api.send(.post, "/tables/todoitem?$top=x&mine=1", ["text": "x"]).status == 201)
        }
    }

    @Test("a client that follows a table since before a purged deletion must start over") func forgotten()
        async throws
    {
        try await TestAPI.run { (api: TestAPI) async throws in
            try await fill(api, ["a", "b"])
            let gone = try await api.send(.delete, "/tables/todoitem/r0")
            let time = try #require(gone.json?["updatedAt"]?.string)
            api.clock.advance(by: .seconds(31 * 24 * 3600))
            #expect(try await api.store.purge() == 1)
            func follow(_ since: String, _ more: String = "") async throws -> TestAPI.Answer {
                try await list(
                    api,
                    "$filter=(updatedAt ge datetimeoffset'\(since)')\(more)&$orderby=updatedAt&__includeDeleted=true"
                )
            }
            let old = try await follow(time, " and (complete eq false)")
            #expect(old.status == 410 && old.json?["code"] == 410)
            #expect(try await follow("1970-01-01T00:00:00.000Z").status == 200)
            #expect(try await follow("2026-12-21T00:00:00.000Z").status == 200)
            #expect(try await list(api, "$filter=updatedAt ge '\(time)'").status == 200)
            let bob = try await api.send(
                .get,
                "/tables/todoitem?$filter=updatedAt%20ge%20datetimeoffset'\(time)'&__includeDeleted=true",
                token: api.token("bob")
            )
            #expect(bob.status == 200)
        }
    }

    @Test("caches may store responses only if they revalidate them") func fields() async throws {
        try await TestAPI.run { (api: TestAPI) async throws in
            let answer = try await list(api, "")
            #expect(answer["Cache-Control"] == "no-cache" && answer["Pragma"] == "no-cache" && answer["Expires"] == "0")
            #expect(answer["x-zumo-server-version"]?.isEmpty == false && answer["ETag"] == nil)
            #expect(answer["Content-Type"] == "application/json; charset=utf-8")
        }
    }

    @Test("texts of every kind are returned as valid JSON") func json() async throws {
        try await TestAPI.run { (api: TestAPI) async throws in
            let text = "\"\\ \u{1} \n\r\t / é 漢字 😀 \u{7F}"
            _ = try await api.send(
                .post,
                "/tables/todoitem",
                ["id": "é'{}", "text": .string(text), "duration": -2.5e-7]
            )
            let row = try #require(try await list(api, "").json?.array?.first)
            #expect(row["text"] == .string(text) && row["id"] == "é'{}" && row["duration"] == -2.5e-7)
            #expect(row["notes"] == .null && row["complete"] == false)
        }
    }
}
