import ArgumentParser
import Testing

@testable import Terminal

@Suite(.timeLimit(.minutes(2)))
struct AnswerOptionsTests {
    @Test("an answer is split at the first equals sign into name and value") func split() throws {
        let answer = try #require(AnswerOptions.Answer(argument: "displayName=a=b"))
        #expect(answer.name == "displayName")
        #expect(answer.value == "a=b")
    }

    @Test("an answer without a name and a value is refused", arguments: ["=x", "email"]) func malformed(_ text: String)
    {
        #expect(AnswerOptions.Answer(argument: text) == nil)
    }

    @Test(
        "a secret on the command line is refused, and not repeated, since others can read it there",
        arguments: ["password", "newPassword", "pin", "code", "passphrase"]
    )
    func secret(_ name: String) throws {
        let error = #expect(throws: (any Error).self) { try AnswerOptions.parse(["--answer", "\(name)=hunter2"]) }
        let text = AnswerOptions.message(for: try #require(error))
        #expect(text == "Never pass secrets on the command line. Use --password-stdin.")
    }

    @Test("a PIN is read from standard input by an option of its own, which excludes the one for all secrets")
    func pin() throws {
        let options = try AnswerOptions.parse(["--pin-stdin"])
        #expect(options.pinFromInput && !options.passwordFromInput)
        let error = #expect(throws: (any Error).self) { try AnswerOptions.parse(["--pin-stdin", "--password-stdin"]) }
        let text = AnswerOptions.message(for: try #require(error))
        #expect(text.contains("only one of --password-stdin and --pin-stdin"), "\(text)")
    }
}
