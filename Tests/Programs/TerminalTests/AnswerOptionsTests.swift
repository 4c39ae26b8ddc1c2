import ArgumentParser
import Testing

@testable import Terminal

@Suite(.timeLimit(.minutes(2)))
struct AnswerOptionsTests {
    @Test("an answer is split at the first equals sign") func split() throws {
        let answer = try #require(AnswerOptions.Answer(argument: "displayName=a=b"))
        #expect(answer.name == "displayName")
        #expect(answer.value == "a=b")
    }

    @Test("what is no name and value is refused", arguments: ["=x", "email"]) func malformed(_ text: String) {
        #expect(AnswerOptions.Answer(argument: text) == nil)
    }

    @Test(
        "a secret is refused without being repeated, since others can read a command line",
        arguments: ["password", "newPassword", "pin", "code", "passphrase"]
    )
    func secret(_ name: String) throws {
        let error = #expect(throws: (any Error).self) { try AnswerOptions.parse(["--answer", "\(name)=hunter2"]) }
        let text = AnswerOptions.message(for: try #require(error))
        #expect(text == "Secrets never go on the command line; use --password-stdin.")
    }
}
