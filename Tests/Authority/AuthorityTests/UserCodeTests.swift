import Testing

@testable import Authority

@Suite(.timeLimit(.minutes(1)))
struct UserCodeTests {
    @Test(
        "a device's code is recognized with any spacing, dashes, case and width",
        arguments: [
            "BCDFGHJK", "bcdf-ghjk", " BCDF GHJK\t", "BCDF\u{A0}GHJK", "BCDF–GHJK", "ＢＣＤＦ－ＧＨＪＫ", "ｂｃｄｆ\u{3000}ｇｈｊｋ",
        ]
    )
    func spellings(_ typed: String) {
        #expect(UserCode.canonical(typed) == "BCDFGHJK")
    }

    @Test("other text is no device's code", arguments: ["", "BCDFGHJ", "BCDFGHJKL", "ABCDFGHJ", "BCDFGHJ1"])
    func others(_ typed: String) {
        #expect(UserCode.canonical(typed) == nil)
    }
}
