import Testing

@testable import Terminal

struct OutputTests {
    @Test("columns are as wide as they must be, and the last ends with its text") func table() {
        let lines = Output.lines(["ID", "TEXT"], [["a", "x"], ["long", "y y"]])
        #expect(lines == ["ID    TEXT", "a     x", "long  y y"])
    }

    @Test("a cell cannot break its line") func lineEnds() {
        #expect(Output.lines(["A"], [["x\ny\u{1B}"]])[1] == "x y\u{FFFD}")
    }

    @Test("a time is shown in UTC") func time() {
        #expect(TimeText.utc(1_795_000_000_123) == "2026-11-18 11:06:40Z")
    }
}
