import OAuth
import Testing

@testable import Terminal

@Suite(.timeLimit(.minutes(2)))
struct OutputTests {
    @Test("columns are as wide as they must be, and the last ends with its text") func table() {
        let lines = Output.lines(["ID", "TEXT"], [["a", "x"], ["long", "y y"]])
        #expect(lines == ["ID    TEXT", "a     x", "long  y y"])
    }

    @Test("the last column is wrapped by words where the terminal is narrow, and in words that are too long")
    func narrow() {
        let rows = [["a", "buy oat milk and bread"], ["b", "01234567890123456789"]]
        #expect(
            Output.lines(["ID", "TEXT"], rows, width: 20) == [
                "ID  TEXT", "a   buy oat milk and", "    bread", "b   0123456789012345", "    6789",
            ]
        )
    }

    @Test("a cell cannot break its line") func lineEnds() {
        #expect(Output.lines(["A"], [["x\ny\u{1B}"]])[1] == "x y\u{FFFD}")
    }

    @Test("a time is shown in UTC") func time() {
        #expect(TimeText.utc(1_795_000_000_123) == "2026-11-18 11:06:40Z")
    }

    @Test("JSON is the same value with what could deceive on a terminal as escapes") func json() throws {
        let value: JSONValue = ["a\u{9B}": "\u{202E}x\u{2028}\u{7F} \u{E4}\u{1F600}\n"]
        let text = PlainText.json(value)
        #expect(text == #"{"a\u009b":"\u202ex\u2028\u007f \#u{E4}\#u{1F600}\n"}"#)
        #expect(try StrictJSON.parse(Array(text.utf8)) == value)
    }
}
