import OAuth
import Testing

@testable import FlowModel

@Suite(.timeLimit(.minutes(1)))
struct TextJSONTests {
    @Test(
        "every kind of value survives encoding and decoding, also nested",
        arguments: [
            Text("a"), Text("a", ["words": "{b} \"c\"\n", "empty": ""]), Text("a", ["count": 1, "most": Int64.max]),
            Text("a", ["text": Text("b", ["text": Text("c")])]), Text("a", ["text": Text(exactly: "b")]),
            Text("a", ["names": Text.and(["b", 7, Text("c", ["d": "e"])]), "none": Text.or([])]),
            Text("a", ["all": Text.or([Text.and(["b", "c"]), "d"])]),
            Text.list([Text("a"), Text(exactly: "b")], .semicolon), Text.list([], .comma),
        ]
    )
    func roundTrip(_ text: Text) throws {
        let json = try StrictJSON.parse(JSONValue.object(text.members).bytes)
        #expect(Text(members: try #require(json.object)) == text)
    }

    @Test("every joint survives encoding and decoding", arguments: Text.Joint.allCases)
    func joints(_ joint: Text.Joint) {
        let text = Text(key: "a", parameters: ["b": .list([.words("c"), .number(-1)], joint)])
        #expect(Text(members: text.members) == text)
    }

    @Test("a sentence has a key, parameters only if it uses them, and no members if it is literal")
    func members() {
        #expect(Text("a.b").members == ["key": "a.b"])
        #expect(
            Text("a", ["name": "n", "count": 2, "text": Text("b"), "list": Text.or(["c"])]).members
                == [
                    "key": "a",
                    "parameters": [
                        "name": "n", "count": 2, "text": ["key": "b"], "list": ["list": ["c"], "joint": "or"],
                    ],
                ]
        )
        #expect(Text(exactly: "words").members.isEmpty)
        #expect(Text(members: [:]) == nil)
    }

    @Test("unknown members are ignored") func others() {
        #expect(Text(members: ["key": "a", "reason": "blocked", "parameters": [:]]) == Text("a"))
        let list: JSONValue = ["list": [], "joint": "and", "other": 1]
        #expect(Text(members: ["key": "a", "parameters": ["b": list]]) == Text("a", ["b": Text.and([])]))
    }

    @Test(
        "a sentence with a malformed member is rejected",
        arguments: [
            ["key": 1], ["key": .null], ["parameters": [:]], ["key": "a", "parameters": []],
            ["key": "a", "parameters": .null], ["key": "a", "parameters": ["b": .null]],
            ["key": "a", "parameters": ["b": true]], ["key": "a", "parameters": ["b": 1.5]],
            ["key": "a", "parameters": ["b": ["c"]]], ["key": "a", "parameters": ["b": [:]]],
            ["key": "a", "parameters": ["b": ["key": 1]]],
            ["key": "a", "parameters": ["b": ["key": "c", "parameters": 1]]],
            ["key": "a", "parameters": ["b": ["key": "c", "list": [], "joint": "and"]]],
            ["key": "a", "parameters": ["b": ["list": "c", "joint": "and"]]],
            ["key": "a", "parameters": ["b": ["list": []]]],
            ["key": "a", "parameters": ["b": ["list": [], "joint": "nor"]]],
            ["key": "a", "parameters": ["b": ["list": [.null], "joint": "and"]]],
        ] as [[String: JSONValue]]
    )
    func malformed(_ members: [String: JSONValue]) {
        #expect(Text(members: members) == nil)
    }

    @Test("sentences and lists can be nested at most eight levels deep") func depth() {
        func texts(_ depth: Int) -> Text {
            (1..<depth).reduce(Text("a")) { inner, _ in Text("a", ["b": inner]) }
        }
        func lists(_ depth: Int) -> Text {
            Text(key: "a", parameters: ["b": (1..<depth).reduce(.number(1)) { inner, _ in .list([inner], .and) }])
        }
        for make in [texts, lists] {
            #expect(Text(members: make(Text.deepest).members) == make(Text.deepest))
            #expect(Text(members: make(Text.deepest + 1).members) == nil)
        }
    }

    @Test("a sentence has at most 256 values, including nested ones") func values() {
        func text(_ count: Int) -> Text {
            Text("a", ["b": Text("c", ["d": Text.and((3...count).map { $0 })])])
        }
        #expect(Text(members: text(Text.mostValues).members) == text(Text.mostValues))
        #expect(Text(members: text(Text.mostValues + 1).members) == nil)
    }

    @Test("keys, names and words have at most 16 KiB in total") func length() {
        let most = String(repeating: "x", count: Text.mostBytes - 3)
        for text in [
            Text("a", ["b": Text.and([most, "c"])]), Text("a", ["b": most, "c": ""]), Text("a", ["b\(most)": "c"]),
            Text("ab\(most)", ["c": 1]),
        ] {
            #expect(Text(members: text.members) == text)
        }
        for text in [
            Text("a", ["b": Text.and([most, "cd"])]), Text("a", ["b": "\(most)c", "d": ""]),
            Text("a", ["bc\(most)": "d"]), Text("abc\(most)", ["d": 1]),
        ] {
            #expect(Text(members: text.members) == nil)
        }
    }
}
