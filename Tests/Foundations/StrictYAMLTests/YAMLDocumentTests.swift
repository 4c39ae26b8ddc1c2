import Foundation
import StrictYAML
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(2)))
struct YAMLDocumentTests {
    @Test("a missing file is reported without a line") func missing() {
        let problem = #expect(throws: Problem.self) { try YAMLDocument.parse(path: "/nowhere/nix") }
        #expect(problem?.description == "/nowhere/nix: there is no such file")
    }

    @Test(
        "ambiguous YAML is rejected with its line",
        arguments: [
            ("a: 1\nb: [1\n", 3, "not YAML"),
            ("a: 1\nb: 2\na: 3\n", 1, "`a` is given twice"),
            ("a: 1\n\"1\": x\n1: y\n", 2, "`1` is given twice"),
            ("a: &x 1\n", 1, "anchors"),
            ("a: &x [1]\nb: *x\n", 1, "anchors"),
            ("a: *x\n", 1, "alias"),
            ("a: 1\nb: !!int \"1\"\n", 2, "tags"),
            ("a: !!str x\n", 1, "tags"),
            ("a: !mine {b: 1}\n", 1, "tags"),
            ("a: !!map {b: 1}\n", 1, "tags"),
            ("a: 1\n---\nb: 1\n", 2, "another document"),
            ("? [a, b]\n: c\n", 1, "name of a key"),
            ("a:\tb: c\n", 1, "not YAML"),
            ("a: \"\u{0}\"", 1, "not YAML"),
        ]
    )
    func refused(_ text: String, line: Int, reason: String) {
        let problem = #expect(throws: Problem.self) { try YAMLDocument.parse(text, file: "f.yaml") }
        #expect(problem?.line == line, "\(problem.map(String.init(describing:)) ?? "")")
        #expect(problem?.message.contains(reason) == true, "\(problem.map(String.init(describing:)) ?? "")")
    }

    @Test("bytes that are not UTF-8 are rejected with their line") func encoding() {
        let bytes = Data("a: 1\nb: ".utf8) + [0xC3, 0x28]
        let problem = #expect(throws: Problem.self) { try YAMLDocument.parse(bytes, file: "f.yaml") }
        #expect(problem?.description == "f.yaml:2: this is not UTF-8")
    }

    @Test("a byte order mark is skipped, and lines may end in CRLF", arguments: ["\n", "\r\n"])
    func mark(_ end: String) throws {
        let lines = ["\u{FEFF}a: 1", "b:", "  c: |", "    x", "    y", "d: e", ""]
        let node = try YAMLDocument.parse(lines.joined(separator: end), file: "f.yaml")
        #expect(node["a"]?.scalar == "1" && node["d"]?.scalar == "e" && node["d"]?.line == 6)
        #expect(node["b"]?["c"]?.scalar == "x\ny\n")
    }

    @Test(
        "a file in UTF-16 is rejected by the name of its encoding",
        arguments: [String.Encoding.utf16LittleEndian, .utf16]
    )
    func wide(_ encoding: String.Encoding) throws {
        let bytes = try #require("a: 1\n".data(using: encoding))
        let problem = #expect(throws: Problem.self) { try YAMLDocument.parse(bytes, file: "f.yaml") }
        #expect(problem?.description == "f.yaml:1: this is UTF-16; save the file as UTF-8")
    }

    @Test("a file of more than 1 MiB is rejected before it is parsed") func size() {
        let text = "a: " + String(repeating: "x", count: YAMLDocument.maximumSize)
        let problem = #expect(throws: Problem.self) { try YAMLDocument.parse(text, file: "f.yaml") }
        #expect(problem?.message.contains("more than 1048576 bytes") == true)
    }

    @Test("the nesting depth is limited", arguments: [33, 900, 5000]) func depth(_ levels: Int) {
        let text = String(repeating: "[", count: levels) + String(repeating: "]", count: levels)
        let problem = #expect(throws: Problem.self) { try YAMLDocument.parse(text, file: "f.yaml") }
        #expect(problem?.line == 1)
    }

    @Test("aliases that expand without end are rejected at the first anchor") func bomb() {
        var text = "a0: &a0 [x, x, x, x, x, x, x, x, x]\n"
        for level in 1..<12 {
            let items = Array(repeating: "*a\(level - 1)", count: 9).joined(separator: ", ")
            text += "a\(level): &a\(level) [\(items)]\n"
        }
        let problem = #expect(throws: Problem.self) { try YAMLDocument.parse(text, file: "f.yaml") }
        #expect(problem?.message.contains("anchors") == true)
    }

    @Test("an empty file, a comment and `---` are an empty mapping", arguments: ["", "# nothing\n", "---\n", "null\n"])
    func empty(_ text: String) throws {
        let node = try YAMLDocument.parse(text, file: "f.yaml")
        #expect(node.names.isEmpty)
        #expect(node.scalar == nil)
    }

    @Test("a file is read from disk, and a missing file or a folder is a problem") func disk() throws {
        let folder = try TemporaryFolder()
        try Data("a: b\n".utf8).write(to: folder.url.appendingPathComponent("f.yaml"))
        try Data().write(to: folder.url.appendingPathComponent("e.yaml"))
        #expect(try YAMLDocument.parse(path: folder.path("f.yaml"))["a"]?.scalar == "b")
        #expect(try YAMLDocument.parse(path: folder.path("e.yaml")).names.isEmpty)
        #expect(throws: Problem(file: folder.path("g.yaml"), line: 0, message: "there is no such file")) {
            try YAMLDocument.parse(path: folder.path("g.yaml"))
        }
        #expect(throws: Problem(file: folder.url.path, line: 1, message: "this is a folder")) {
            try YAMLDocument.parse(path: folder.url.path)
        }
    }

    @Test("a named pipe is rejected without blocking") func namedPipe() throws {
        let folder = try TemporaryFolder()
        #expect(mkfifo(folder.path("p.yaml"), 0o600) == 0)
        let problem = #expect(throws: Problem.self) { try YAMLDocument.parse(path: folder.path("p.yaml")) }
        #expect(problem?.message == "this is not a regular file")
    }

    @Test("a problem is printed as file, line and message, and a warning is marked") func printing() {
        #expect(Problem(file: "a.yaml", line: 3, message: "no").description == "a.yaml:3: no")
        let warning = Problem(file: "a.yaml", line: 3, message: "no", severity: .warning)
        #expect(warning.description == "a.yaml:3: warning: no")
    }
}
