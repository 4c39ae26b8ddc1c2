import OAuth
import Testing

@testable import Terminal

@Suite(.timeLimit(.minutes(2)))
struct OutputTests {
    @Test("columns are as wide as their content, and the last ends with its text") func table() {
        let lines = Output.lines(["ID", "TEXT"], [["a", "x"], ["long", "y y"]])
        #expect(lines == ["ID    TEXT", "a     x", "long  y y"])
    }

    @Test("on a narrow terminal the last column wraps between words") func narrow() {
        let rows = [["a", "buy oat milk and bread"], ["b", "x"]]
        #expect(
            Output.lines(["ID", "TEXT"], rows, width: 20) == [
                "ID  TEXT", "a   buy oat milk and", "    bread", "b   x",
            ]
        )
    }

    @Test("a last column with a word that is too long moves below its row, and the word is not broken") func below() {
        let rows = [["a", "buy oat milk and bread"], ["b", "https://issuer.example/a"], ["c", ""]]
        #expect(
            Output.lines(["ID", "TEXT"], rows, width: 20) == [
                "ID", "    TEXT", "a", "    buy oat milk and", "    bread", "b", "    https://issuer.example/a", "c",
            ]
        )
    }

    @Test("rows that do not fit become blocks of named values, without the empty ones") func blocks() {
        let rows = [["a name that is long", "b", "2026-11-28 00:56:53Z"], ["c", "", "d"]]
        #expect(
            Output.lines(["NAME", "CITY", "TIME"], rows, width: 22) == [
                "NAME  a name that is", "      long", "CITY  b", "TIME  2026-11-28 00:56:53Z", "",
                "NAME  c", "TIME  d",
            ]
        )
    }

    @Test("a mark before a name does not shift a block") func marked() {
        let rows = [["* Ann", "ann@example.org"], ["  Bob", "bob@example.org"]]
        #expect(
            Output.lines(["  NAME", "USERNAME"], rows, width: 5)
                == ["NAME      * Ann", "USERNAME  ann@example.org", "", "NAME      Bob", "USERNAME  bob@example.org"]
        )
    }

    @Test("a sentence is broken between words, each line of a text separately, with its indentation") func sentences() {
        let text = "error: it is long\n  hint: use it again\n{}"
        #expect(TextTable.paragraphs(text, width: 12) == "error: it is\n  long\n  hint: use\n    it again\n{}")
        #expect(TextTable.paragraphs(text, width: nil) == text)
    }

    @Test("names and values are shown in two columns") func facts() {
        let text = TextTable.text([("Socket:", "/run/x"), ("Issuer:", ""), ("State directory:", "/var")], width: 80)
        #expect(text == "Socket:           /run/x\nState directory:  /var")
    }

    @Test("a cell cannot contain a line break") func lineEnds() {
        #expect(Output.lines(["A"], [["x\ny\u{1B}"]])[1] == "x y\u{FFFD}")
    }

    @Test("a time is shown in UTC") func time() {
        #expect(TimeText.utc(1_795_000_000_123) == "2026-11-18 11:06:40Z")
    }

    @Test("JSON has the same value, with deceptive characters escaped") func json() throws {
        let value: JSONValue = ["a\u{9B}": "\u{202E}x\u{2028}\u{7F} \u{E4}\u{1F600}\n"]
        let text = PlainText.json(value)
        #expect(text == #"{"a\u009b":"\u202ex\u2028\u007f \#u{E4}\#u{1F600}\n"}"#)
        #expect(try StrictJSON.parse(Array(text.utf8)) == value)
    }
}
