import Testing

@testable import Terminal

@Suite(.timeLimit(.minutes(2)))
struct UniquePrefixTests {
    private let ids = ["abc1", "abd2", "ab", "XYZ9"]

    private func find(_ text: String) throws -> String {
        try UniquePrefix.find(text, among: ids, .task) { [$0] }
    }

    @Test(
        "a unique prefix in any case, or the whole name, is accepted",
        arguments: [("abc", "abc1"), ("ab", "ab"), ("xy", "XYZ9")]
    )
    func found(_ text: String, _ id: String) throws {
        #expect(try find(text) == id)
    }

    @Test(
        "an ambiguous or unknown prefix is refused",
        arguments: [("a", "ambiguous"), ("q", "not_found"), ("", "not_found")]
    )
    func refused(_ text: String, _ reason: String) {
        let error = #expect(throws: CommandFailure.self) { try find(text) }
        #expect(error?.reason == reason)
    }

    @Test("an id in another Unicode normalization is another id") func normalization() throws {
        let ids = ["caf\u{E9}", "cafe\u{301}s"]
        func find(_ text: String) throws -> String { try UniquePrefix.find(text, among: ids, .task) { [$0] } }
        #expect(try find("caf\u{E9}") == ids[0])
        #expect(try find("cafe\u{301}") == ids[1])
        let error = #expect(throws: CommandFailure.self) { try find("cafe\u{301}x") }
        #expect(error?.reason == "not_found")
    }

    @Test("a name that two accounts have is refused, and an id takes precedence over a name") func names() throws {
        let accounts = [["a1", "ann"], ["b2", "ann"], ["c3", "a1"]]
        func find(_ text: String) throws -> [String] { try UniquePrefix.find(text, among: accounts, .account) { $0 } }
        let error = #expect(throws: CommandFailure.self) { try find("ann") }
        #expect(error?.reason == "ambiguous")
        #expect(try find("a1") == ["a1", "ann"])
    }

    @Test(
        "an id is shortened to a prefix that is unique",
        arguments: [
            ([], 8), (["019e7044-8800"], 8), (["0b", "0a", "0a1"], 8), (["019e7044-8801", "aa", "019E7044-8800"], 13),
        ]
    )
    func shown(_ names: [String], _ length: Int) {
        #expect(UniquePrefix.length(of: names) == length)
    }
}
