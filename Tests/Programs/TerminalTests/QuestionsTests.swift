import BrokerAPI
import BrokerClient
import FlowModel
import Localization
import OAuth
import Testing

@testable import Terminal

@Suite(.serialized, .timeLimit(.minutes(1)))
struct QuestionsTests {
    private let email = Node(name: "email", kind: .email, label: "E-mail", required: true)
    private let city = Node(name: "city", kind: .text, label: "City", required: false)
    private let age = Node(name: "age", kind: .number, label: "Age", required: false)
    private let team = Node(name: "team", kind: .select, label: "Team", required: false, options: ["red", "blue"])
    private let password = Node(name: "password", kind: .secret, label: "Password", required: true)
    private let code = Node(name: "code", kind: .code, label: "Code", required: true)

    @Test("typed text is hidden for a secret and for an object that may contain one") func hidden() {
        #expect(password.isHidden && Node(name: "*", kind: .json, label: "Answer", required: true).isHidden)
        #expect(![email, city, age, team, code].contains { $0.isHidden })
    }

    @Test("answers on the command line are used according to their field's type, and optional fields may be missing")
    func given() async throws {
        let questions = Questions(given: ["email": "a@b.c", "age": "7"], terminal: nil)
        let answer = try await questions.answer(Challenge.step([email, city, age]))
        #expect(fields(answer) == ["email": "a@b.c", "age": 7])
        #expect(await questions.unused.isEmpty)
    }

    @Test("an answer to an unknown field is refused if another field is open, and the fields are named") func unknown()
        async throws
    {
        let questions = Questions(given: ["emial": "a@b.c"], readsInput: true, terminal: nil)
        let error = await #expect(throws: CommandFailure.self) {
            try await questions.answer(Challenge.step([email, city, password]))
        }
        #expect(error?.status == .usage)
        #expect(error?.message.contains("emial") == true)
        #expect(error?.hint?.english == "Available fields: email, city, password (with --password-stdin).")
    }

    @Test("an answer to a later step is used there, or reported as unused") func later() async throws {
        let questions = Questions(given: ["email": "a@b.c", "city": "Oslo", "age": "7"], terminal: nil)
        let first = try await questions.answer(Challenge.step([email]))
        let second = try await questions.answer(Challenge.step([city]))
        #expect(fields(first) == ["email": "a@b.c"] && fields(second) == ["city": "Oslo"])
        #expect(await questions.unused == ["age"])
    }

    @Test("without a terminal a missing required answer is the error interaction required") func missing()
        async
    {
        let questions = Questions(terminal: nil)
        let error = await #expect(throws: CommandFailure.self) {
            try await questions.answer(Challenge.step([email, city, password]))
        }
        #expect(error?.status == .denied)
        #expect(error?.reason == "interaction_required")
        #expect(
            error?.message == "Input is required, but no terminal is available: E-mail (email), Password (password)"
        )
        #expect(error?.hint?.english == "Run the command in a terminal, or with --answer email=VALUE --password-stdin.")
    }

    @Test("the refusal of a step that needs a PIN names the option for PINs, which answers no password") func pin()
        async
    {
        let pin = Node(name: "pin", kind: .secret, label: "PIN", required: true)
        for (node, type, option) in [(pin, StepType.pin, "--pin-stdin"), (password, .password, "--password-stdin")] {
            let questions = Questions(readsPIN: type != .pin, terminal: nil)
            let error = await #expect(throws: CommandFailure.self) {
                try await questions.answer(Challenge.step([node], type: type))
            }
            #expect(error?.hint?.english == "Run the command in a terminal, or with \(option).")
        }
    }

    @Test("an answer of the wrong kind is refused before it is sent", arguments: [("age", "old"), ("team", "green")])
    func wrongKind(_ name: String, _ value: String) async {
        let questions = Questions(given: [name: value], terminal: nil)
        let error = await #expect(throws: CommandFailure.self) {
            try await questions.answer(Challenge.step([age, team]))
        }
        #expect(error?.reason == "invalid_answer")
        // The message for programs is always in English. The text for users is translated.
        let node = name == "age" ? age : team
        let label = "\(name): \(node.label)"
        #expect(error?.message.hasPrefix(label) == true)
        #expect(error?.text.words(in: .german).hasPrefix(label) == true)
        #expect(error?.text.words(in: .german) != error?.message)
    }

    @Test("without a terminal a rejected answer is not prompted for again") func rejected() async throws {
        let questions = Questions(given: ["email": "a@b.c"], terminal: nil)
        _ = try await questions.answer(Challenge.step([email]))
        let wrong = Message(code: "credentials.wrong", level: .error, text: "Wrong.")
        let error = await #expect(throws: CommandFailure.self) {
            try await questions.answer(Challenge.step([email], messages: [wrong]))
        }
        #expect(error?.status == .denied)
        #expect(error?.message == "Wrong.")
    }

    @Test("a terminal prompts for each field, and twice for a new password") func asked() async throws {
        let terminal = try PseudoTerminal()
        let questions = Questions(terminal: terminal.program)
        async let answer = questions.answer(Challenge.step([email, city, team, password]))
        _ = await terminal.shows("E-mail: ")
        terminal.type("a@b.c\n")
        _ = await terminal.shows("City (optional): ")
        terminal.type("\n")
        _ = await terminal.shows("Team (red, blue) (optional): ")
        terminal.type("green\n")
        let shown = await terminal.shows("Team (red, blue) (optional): ")
        #expect(shown.contains("Team must be one of red, blue."))
        terminal.type("red\n")
        _ = await terminal.shows("Password: ")
        terminal.type("one\n")
        _ = await terminal.shows("Password again: ")
        terminal.type("two\n")
        let mismatch = await terminal.shows("Password: ")
        #expect(mismatch.contains("The two entries do not match."))
        terminal.type("one\n")
        _ = await terminal.shows("Password again: ")
        terminal.type("one\n")
        let reply = try await answer
        #expect(fields(reply) == ["email": "a@b.c", "team": "red", "password": "one"])
    }

    @Test("an action is performed instead of an answer") func action() async throws {
        let terminal = try PseudoTerminal()
        let questions = Questions(terminal: terminal.program)
        async let answer = questions.answer(
            Challenge.step([code], type: .code, actions: [.resend, .cancel])
        )
        let shown = await terminal.shows("Code: ")
        #expect(shown.contains("Type :resend to get another code."))
        terminal.type(":resend\n")
        guard case .action("resend", nil) = try await answer else {
            Issue.record("the answer was not an action")
            return
        }
    }

    @Test("an unknown action costs no attempt") func noAction() async throws {
        let terminal = try PseudoTerminal()
        let questions = Questions(terminal: terminal.program)
        async let answer = questions.answer(
            Challenge.step([code], type: .code, actions: [.resend, .cancel])
        )
        _ = await terminal.shows("Code: ")
        terminal.type(":nix\n")
        let shown = await terminal.shows("Code: ")
        #expect(shown.contains(":nix is not available here. Use one of :resend and :cancel."))
        terminal.type("123456\n")
        let reply = try await answer
        #expect(fields(reply) == ["code": "123456"])
    }

    @Test("the errors of the previous answers are shown") func problems() async throws {
        let terminal = try PseudoTerminal()
        let questions = Questions(terminal: terminal.program)
        var refusal = Refusal(.invalidAnswer, Text(exactly: "no"))
        refusal.nodes = [NodeProblem(name: "email", code: .malformed, text: "is no address\u{1B}[2J")]
        async let answer = questions.answer(Challenge.step([email], refusal: refusal))
        let shown = await terminal.shows("[2J\r\nE-mail: ")
        #expect(shown.contains("\r\nis no address"))
        #expect(!shown.unicodeScalars.contains("\u{1B}"))
        terminal.type("a@b.c\n")
        let reply = try await answer
        #expect(fields(reply) == ["email": "a@b.c"])
    }

    @Test("the error of the open step is shown alone, without earlier messages") func refused() async throws {
        let terminal = try PseudoTerminal()
        let questions = Questions(terminal: terminal.program)
        let wrong = [Message(code: "code.wrong", level: .error, text: "That code is not correct.")]
        let actions: [Action.Name] = [.resend]
        async let first = questions.answer(Challenge.step([code], type: .code, messages: wrong, actions: actions))
        #expect(await terminal.shows("Code: ").contains("That code is not correct."))
        terminal.type(":resend\n")
        _ = try await first
        let refusal = Refusal(.limitExceeded, Text(exactly: "You can request another code in 24 s."))
        async let second = questions.answer(
            Challenge.step([code], type: .code, messages: wrong, actions: actions, refusal: refusal)
        )
        let shown = await terminal.shows("Code: ")
        #expect(shown.contains("You can request another code in 24 s.") && !shown.contains("not correct"))
        terminal.type("123456\n")
        _ = try await second
    }

    @Test("each field is checked after its input, and its hint is shown before the prompt") func checked() async throws
    {
        let terminal = try PseudoTerminal()
        let questions = Questions(terminal: terminal.program)
        let rule = Node(name: "password", kind: .secret, label: "Password", required: true, minLength: 8, hint: "Long.")
        async let answer = questions.answer(Challenge.step([email, rule], type: .password))
        _ = await terminal.shows("E-mail: ")
        terminal.type("ann\n")
        let first = await terminal.shows("E-mail: ")
        #expect(first.contains("Enter a complete e-mail address, such as ada@example.org."))
        terminal.type("ann@example.org\n")
        let second = await terminal.shows("Password: ")
        #expect(second.contains("Long.\r\n"))
        terminal.type("short\n")
        let third = await terminal.shows("Password: ")
        #expect(third.contains("Password must have at least 8 characters."))
        terminal.type("long enough\n")
        let reply = try await answer
        #expect(fields(reply) == ["email": "ann@example.org", "password": "long enough"])
    }

    @Test("if one answer of a sign-up is refused, only that field is prompted for again") func keeping() async throws {
        let terminal = try PseudoTerminal()
        let questions = Questions(terminal: terminal.program)
        async let first = questions.answer(Challenge.step([email, city, password]))
        _ = await terminal.shows("E-mail: ")
        terminal.type("ann@example.org\n")
        _ = await terminal.shows("City (optional): ")
        terminal.type("\n")
        for prompt in ["Password: ", "Password again: "] {
            _ = await terminal.shows(prompt)
            terminal.type("one\n")
        }
        #expect(fields(try await first) == ["email": "ann@example.org", "password": "one"])
        let taken = Message(code: "name.taken", level: .error, text: "Taken.", node: "email")
        async let second = questions.answer(Challenge.step([email, city, password], messages: [taken]))
        let shown = await terminal.shows("E-mail: ")
        #expect(shown.contains("Taken."))
        terminal.type("bob@example.org\n")
        #expect(fields(try await second) == ["email": "bob@example.org", "password": "one"])
    }
}
