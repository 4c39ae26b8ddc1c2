import Foundation
import HTTPTypes
import OAuth
import Tables
import Testing

@Suite(.timeLimit(.minutes(1)), .indexedStatements)
struct TableIDTests {
    /// Valid ids, as existing clients use them.
    static let valid = [
        "id", "true", "false", "00000000-0000-0000-0000-000000000000", "aa4da0b5-308c-4877-a5d2-03f274632636",
        "69C8BE62-A09F-4638-9A9C-6B448E9ED4E7", "{EC26F57E-1E65-4A90-B949-0661159D0546}",
        "87D5B05C93614F8EBFADF7BC10F7AE8C", "someone@someplace.com", "id with spaces", "...", " .",
        "'id' with single quotes", "id with 255 characters " + String(repeating: "A", count: 232),
        "id with Japanese 私の車はどこですか？", "id with Arabic أين هو سيارتي؟", "id with Russian Где моя машина",
        "id with some URL significant characters % # &",
        "id with ascii characters  !#$%&'()*,-.0123456789:;<=>@ABCxyz[]^_{|}~",
        "id with extended ascii \u{A0}¡¢£¤¥¦§¨©ª«¬®¯°±²³´µ¶·¸¹º»¼½¾¿ÀÁÂÿ", " leading", "trailing ", "😀",
        "\u{FEFF}secret", "secret\u{FEFF}", "\u{E9}", "e\u{301}", "\u{200B}zero", "\u{212A}elvin", "%41", "a%2Fb",
        "\u{FFFD}",
        "\u{301}accent", "Secret", "secret",
    ]

    @Test("every id that clients use is accepted, found, updated and deleted unchanged", arguments: valid)
    func corpus(_ id: String) async throws {
        try await TestAPI.run { (api: TestAPI) async throws in
            let encoded = try #require(id.addingPercentEncoding(withAllowedCharacters: .alphanumerics))
            let path = "/tables/todoitem/\(encoded)"
            let made = try await api.send(.post, "/tables/todoitem", ["id": .string(id), "text": "x"])
            #expect(made.status == 201 && made.json?["id"] == .string(id))
            #expect(try await api.send(.get, path).json == made.json)
            #expect(try await api.send(.patch, path, ["id": .string(id), "text": "y"]).json?["text"] == "y")
            #expect(try await api.send(.delete, path).status == 200)
        }
    }

    @Test(
        "invalid ids are rejected, and no row can have them",
        arguments: [
            " ", ".", "..", "a+b", "a\"b", "a/b", "a?b", "a\\b", "a`b", "a\u{0}b", "a\u{1F}", "\u{7F}", "\u{9F}",
            String(repeating: "A", count: 256),
        ]
    )
    func invalid(_ id: String) async throws {
        try await TestAPI.run { (api: TestAPI) async throws in
            let refused = try await api.send(.post, "/tables/todoitem", ["id": .string(id), "text": "x"])
            #expect(refused.status == 400 && refused.json?["column"] == "id")
            let encoded = try #require(id.addingPercentEncoding(withAllowedCharacters: .alphanumerics))
            // The server rejects an ambiguous path with 400 before it looks for the row.
            let isAmbiguous = [".", "..", "a/b", "a\\b"].contains(id)
            let missing = try await api.send(.patch, "/tables/todoitem/\(encoded)", ["text": "x"])
            #expect(missing.status == (isAmbiguous ? 400 : 404))
        }
    }

    @Test("a row is read, updated and protected under exactly the id that it was written with") func exactly()
        async throws
    {
        let ids = Self.valid.filter { !["Secret"].contains($0) }
        for id in ["\u{FEFF}secret", "secret", "e\u{301}", "\u{E9}", "%41", "id with spaces"] {
            let protected: [String: ResourceDemand] = ["/tables/todoitem/\(id)": "special"]
            try await TestAPI.run(protectedPaths: protected) { (api: TestAPI) async throws in
                for other in ids {
                    let made = try await api.send(.post, "/tables/todoitem", ["id": .string(other), "text": "x"])
                    #expect(made.status == 201)
                }
                for other in ids {
                    let path = try "/tables/todoitem/" + #require(Self.encoded(other))
                    let isSame = other.unicodeScalars.elementsEqual(id.unicodeScalars)
                    #expect(try await api.send(.patch, path, ["text": "y"]).status == (isSame ? 403 : 200), "\(other)")
                    #expect(try await api.send(.delete, path).status == (isSame ? 403 : 200), "\(other)")
                }
                let special = try api.token(scopes: "special tasks.read tasks.write")
                let rows = try await api.send(.get, "/tables/todoitem", token: special).json?.array ?? []
                #expect(rows.compactMap { $0["id"]?.string }.map { Array($0.utf8) } == [Array(id.utf8)])
                let path = try "/tables/todoitem/" + #require(Self.encoded(id))
                #expect(try await api.send(.delete, path, token: special).status == 200)
            }
        }
    }

    @Test(
        "an ambiguous path is 400",
        arguments: [
            "/tables/todoitem/a%2Fb", "/tables/todoitem/a%5cb", "/tables/todoitem/%2e%2e", "/tables/x/../todoitem",
            "/tables/todoitem/%FF", "/tables/todoitem/%C0%AF", "/tables/todoitem/%zz", "/tables/todoitem/%4",
            "/tables/todoitem/é",
        ]
    )
    func ambiguous(_ path: String) async throws {
        try await TestAPI.run { (api: TestAPI) async throws in
            for token in [try api.token(), nil] {
                #expect(try await api.send(.get, path, token: token).status == 400)
            }
        }
    }

    @Test("a different encoding of a path is the same path") func spellings() async throws {
        try await TestAPI.run { (api: TestAPI) async throws in
            #expect(try await api.send(.post, "/tables/todoitem", ["id": "hard", "text": "x"]).status == 201)
            for path in ["/tables/todoitem/h%61rd", "/%74ables/todo%69tem/hard", "//tables//todoitem/hard/"] {
                #expect(try await api.send(.get, path).json?["id"] == "hard")
            }
            #expect(try await api.send(.patch, "/tables/todoitem/h%61rd?x=%2F", ["text": "y"]).json?["text"] == "y")
        }
    }

    private static func encoded(_ id: String) -> String? {
        id.addingPercentEncoding(
            withAllowedCharacters: .alphanumerics.intersection(CharacterSet(charactersIn: "a"..."z"))
        )
    }

    @Test("the server creates a missing id, and the name id is accepted in any case") func made() async throws {
        try await TestAPI.run { (api: TestAPI) async throws in
            for members in [[:], ["id": .null], ["id": ""]] as [[String: JSONValue]] {
                let row = JSONValue.object(members.merging(["text": "x"]) { $1 })
                let id = try #require(try await api.send(.post, "/tables/todoitem", row).json?["id"]?.string)
                #expect(UUID(uuidString: id) != nil && id == id.lowercased())
            }
            for name in ["Id", "ID", "iD"] {
                let row: JSONValue = .object([name: .string("own \(name)"), "text": "x"])
                #expect(try await api.send(.post, "/tables/todoitem", row).json?["id"] == .string("own \(name)"))
            }
            #expect(try await api.send(.post, "/tables/todoitem", ["id": 0, "text": "x"]).status == 400)
        }
    }

    @Test("a table with numeric ids counts by itself and never reuses a number") func integers() async throws {
        var table = try TableDeclaration("counted", columns: [TableColumn("text", .string)])
        table.idKind = .integer
        try await TestAPI.run([table]) { (api: TestAPI) async throws in
            for (body, id) in [(["text": "a"], 1), (["text": "b", "id": 0], 2), (["text": "c", "id": .null], 3)]
                as [(JSONValue, JSONValue)]
            {
                #expect(try await api.send(.post, "/tables/counted", body).json?["id"] == id)
            }
            let own = try await api.send(.post, "/tables/counted", ["id": 7, "text": "x"])
            #expect(own.status == 400 && own.json?["error"] == "A value cannot be specified for property 'id'")
            #expect(try await api.send(.post, "/tables/counted", ["id": "x", "text": "x"]).status == 400)
            #expect(try await api.send(.get, "/tables/counted/2").json?["text"] == "b")
            let changed = try await api.send(.patch, "/tables/counted/2", ["id": 2, "text": "B"])
            #expect(changed.status == 200 && changed["ETag"] != nil)
            #expect(try await api.send(.patch, "/tables/counted", ["id": 2, "text": "C"]).status == 200)
            #expect(try await api.send(.patch, "/tables/counted/2", ["id": 3]).status == 400)
            #expect(try await api.send(.delete, "/tables/counted/3").status == 200)
            #expect(try await api.send(.post, "/tables/counted", ["text": "d"]).json?["id"] == 4)
            let list = try await api.send(.get, "/tables/counted?$filter=id%20gt%201&$orderby=id%20desc")
            #expect(list.json?.array?.map { $0["id"] } == [4, 2])
            for id in ["x", "0", "-1", "02", "1.0"] {
                #expect(try await api.send(.get, "/tables/counted/\(id)").status == 404)
            }
            let key = ["Idempotency-Key": UUID().uuidString]
            let first = try await api.send(.post, "/tables/counted", ["text": "e"], key)
            #expect(try await api.send(.post, "/tables/counted", ["text": "e"], key).json == first.json)
            #expect(
                try await api.send(.post, "/tables/counted", ["text": "x"], token: api.token("bob")).json?["id"] == 1
            )
        }
    }
}
