import Testing

@testable import Terminal

struct AnswerOptionsTests {
    @Test("an answer is split at the first equals sign") func split() throws {
        let answer = try #require(AnswerOptions.Answer(argument: "displayName=a=b"))
        #expect(answer.name == "displayName")
        #expect(answer.value == "a=b")
    }

    @Test(
        "a secret is refused, since others can read a command line",
        arguments: ["password=x", "newPassword=x", "pin=1234", "code=123456", "=x", "email"]
    )
    func refused(_ text: String) {
        #expect(AnswerOptions.Answer(argument: text) == nil)
    }
}
