import FlowModel
import Testing

@testable import Terminal

@Suite(.timeLimit(.minutes(2)))
struct ExcerptTests {
    @Test(
        "the caret is below the position, also at the end of the text",
        arguments: [(0, 2), (9, 11), (13, 15), (99, 15)]
    )
    func caret(_ position: Int, _ column: Int) {
        let lines = Excerpt("complete == ü", at: position).lines
        #expect(lines == ["  complete == ü", String(repeating: " ", count: column) + "^"])
    }

    @Test("a long text is shortened to the part around the error") func long() {
        let text = String(repeating: "a", count: 500) + "!" + String(repeating: "b", count: 500)
        let lines = Excerpt(text, at: 500).lines
        #expect(lines[0].count == 2 + 60 + 60 && lines[0].contains("a!b"))
        #expect(lines[1].count == 2 + 60 + 1)
    }

    @Test("typed text cannot move the cursor") func unsafe() {
        #expect(!Excerpt("a\u{1B}[2J\nb", at: 0).lines.joined().contains("\u{1B}"))
    }

    @Test("a failure shows the position between message and hint, and in JSON as a number") func failure() {
        var failure = CommandFailure.usage(Text(exactly: "--filter: Syntax error"), hint: Text(exactly: "look"))
        failure.excerpt = Excerpt("a b", at: 2)
        let text = failure.text(program: "tasks", asJSON: false)
        #expect(text == "tasks: error: --filter: Syntax error\n  a b\n    ^\nhint: look")
        #expect(failure.text(program: "tasks", asJSON: true).contains("\"position\":2"))
    }
}
