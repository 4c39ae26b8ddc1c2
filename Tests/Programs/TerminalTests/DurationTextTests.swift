import Testing

@testable import Terminal

@Suite(.timeLimit(.minutes(2)))
struct DurationTextTests {
    @Test(
        "a duration is digits and at most one unit",
        arguments: [("90", 90), ("90s", 90), ("15m", 900), ("2h", 7200), ("7d", 604_800), ("0", 0)]
    )
    func read(_ text: String, _ seconds: Int64) throws {
        #expect(try #require(DurationText(argument: text)).seconds == seconds)
    }

    @Test(
        "any other duration is refused",
        arguments: ["", "m", "-1", "+1", "1.5h", "1w", "١s", "99999999999999999999", "4000d"]
    )
    func refused(_ text: String) {
        #expect(DurationText(argument: text) == nil)
    }
}
