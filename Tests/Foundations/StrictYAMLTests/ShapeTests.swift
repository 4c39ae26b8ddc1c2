import Foundation
import StrictYAML
import Testing

@Suite(.timeLimit(.minutes(2)))
struct ShapeTests {
    private static let shape: Shape = .object([
        Key("name", .text(.init(maxLength: 8)), "A name."),
        Key("seconds", .integer(10...20), default: "15", "Seconds."),
        Key("flag", .boolean, default: "false", "A flag."),
        Key("mode", .choice(["none", "some"], later: ["all"]), default: "none", "A mode."),
        Key("list", .list(.text(), count: 0...2), default: "[a]", "A list."),
        Key("part", .object([Key("deep", .integer(0...5), default: "2", "Deep.")]), "A part."),
        Key("table", .dictionary(key: .init(maxLength: 4), .boolean), default: "{}", "A table."),
        Key(
            "tls",
            .either([.choice(["none"], later: ["automatic"]), .object([Key(required: "file", .text(), "F.")])]),
            default: "none",
            "T."
        ),
        Key("future", .later(.anything, needs: "time"), default: "{}", "Not yet."),
    ])

    private func read(_ text: String) throws -> (YAMLValue, [String]) {
        var problems: [Problem] = []
        let value = Self.shape.read(try YAMLDocument.parse(text, file: "f"), problems: &problems)
        return (value, problems.map(\.description))
    }

    @Test("an omitted key has its default, at any depth") func defaults() throws {
        let (value, problems) = try read("name: x\n")
        #expect(problems.isEmpty)
        #expect(value["seconds"].number == 15)
        #expect(value["part"]["deep"].number == 2)
        #expect(value["list"].items.map(\.text) == ["a"])
        #expect(!value["seconds"].isGiven && value["name"].isGiven)
        #expect(value["tls"].textUnlessNone == nil)
        #expect(!value["nowhere"]["at"].isPresent)
    }

    @Test(
        "a problem is reported with its position and the expected form",
        arguments: [
            ("sconds: 1", "f:1: unknown key `sconds`; did you mean `seconds`?"),
            (
                "zzzzzzzzz: 1",
                "f:1: unknown key `zzzzzzzzz`; valid keys: name, seconds, flag, mode, list, part, table, tls, future"
            ),
            ("a: 1\npart: {deeep: 1}", "f:2: unknown key `part.deeep`; did you mean `deep`?"),
            ("seconds: 9", "f:1: `seconds` is 9; it must be a whole number from 10 to 20"),
            ("seconds: 1e1", "f:1: `seconds` is 1e1; it must be a whole number from 10 to 20"),
            ("seconds: \"15\"", "f:1: `seconds` is the text \"15\"; it must be a whole number from 10 to 20"),
            (
                "seconds: 99999999999999999999",
                "f:1: `seconds` is 99999999999999999999; it must be a whole number from 10 to 20"
            ),
            ("seconds: 0x0f", "f:1: `seconds` is 0x0f; it must be a whole number from 10 to 20"),
            ("flag: yes", "f:1: `flag` is yes; it must be true or false"),
            ("flag: [true]", "f:1: `flag` is a list; it must be true or false"),
            ("name: no", "f:1: `name` is no, which YAML does not read as text; put it in quotes"),
            ("name: 12", "f:1: `name` is 12, which YAML does not read as text; put it in quotes"),
            ("name: \"\"", "f:1: `name` is empty; it must be text"),
            ("name: 123456789x", "f:1: `name` has more than 8 characters"),
            ("name: \"a\\tb\"", "f:1: `name` has control characters"),
            ("name: \"a\\nb\"", "f:1: `name` has control characters"),
            ("name:", "f:1: `name` has no value; it must be text"),
            ("mode: sme", "f:1: `mode` is sme; it must be one of none, some; did you mean some?"),
            ("mode: all", "f:1: `mode`: all is not supported by this version; supported: none, some"),
            ("list: [a, b, c]", "f:1: `list` has 3 items; it must have at most 2"),
            ("list: a", "f:1: `list` is a; it must be a list"),
            ("list:\n  - a\n  - 1\n", "f:3: `list[1]` is 1, which YAML does not read as text; put it in quotes"),
            ("part: 1", "f:1: `part` is 1; it must be a mapping"),
            ("table: {abcde: true}", "f:1: the name `table.abcde` has more than 4 characters"),
            ("table: {a: 1}", "f:1: `table.a` is 1; it must be true or false"),
            ("tls: {}", "f:1: `tls.file` is missing; it must be text"),
            ("tls: automatic", "f:1: `tls`: automatic is not supported by this version; supported: none"),
            ("tls: [a]", "f:1: `tls` is a list; it must be none, or a mapping"),
            ("future: {a: 1}", "f:1: `future` is not supported by this version: time"),
            ("- a", "f:1: the file is a list; it must be a mapping"),
        ]
    )
    func problems(_ text: String, problem: String) throws {
        let (_, problems) = try read(text)
        #expect(problems.contains(problem), "\(problems)")
    }

    @Test("all problems are reported, not only the first") func all() throws {
        let (_, problems) = try read("seconds: 1\nflag: 2\nwhat: 3\n")
        #expect(problems.count == 3)
    }

    @Test("a key of a later version may be set to its default") func later() throws {
        let (_, problems) = try read("future: {}")
        #expect(problems.isEmpty)
    }

    @Test("the JSON Schema matches the shape") func schema() throws {
        let text = Self.shape.jsonSchema(title: "f")
        let json = try #require(try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any])
        let keys = try #require(json["properties"] as? [String: [String: Any]])
        #expect(json["additionalProperties"] as? Bool == false)
        #expect(keys.count == 9)
        #expect(keys["seconds"]?["maximum"] as? Int == 20)
        #expect(keys["seconds"]?["default"] as? Int == 15)
        #expect(keys["mode"]?["enum"] as? [String] == ["none", "some"])
        #expect(keys["list"]?["default"] as? [String] == ["a"])
    }

    @Test("a file inherits omitted keys: mappings are merged, lists replaced") func inheritance() throws {
        let base = try YAMLDocument.parse("a: {x: 1, y: 2}\nb: [1, 2]\nc: {x: 1}\nd: 1\n", file: "base")
        let child = try YAMLDocument.parse("a: {y: 3}\nb: [4]\nc: {y: 2}\n", file: "child")
        let whole = child.inheriting(from: base, whole: ["c"], own: ["d"])
        #expect(whole["a"]?["x"]?.scalar == "1")
        #expect(whole["a"]?["x"]?.file == "base")
        #expect(whole["a"]?["y"]?.scalar == "3")
        #expect(whole["c"]?.names == ["y"])
        #expect(whole["d"] == nil)
    }
}
