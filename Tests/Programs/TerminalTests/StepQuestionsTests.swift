import BrokerAPI
import BrokerClient
import FlowModel
import Localization
import OAuth
import Testing

@testable import Terminal

/// Tests terminal prompts for the less common steps of a flow.
@Suite(.serialized, .timeLimit(.minutes(1)))
struct StepQuestionsTests {
    // MARK: Consent

    private let consentNodes = [
        Node(name: "tasks.read", kind: .info, label: "Read your tasks", required: false, value: "tasks.read"),
        Node(name: "tasks.write", kind: .info, label: "Change\u{1B}[2J tasks", required: false, value: "tasks.write"),
        Node(name: "allow", kind: .bool, label: "Allow this", required: true),
    ]

    @Test(
        "consent: the requested scopes are shown, only yes or no is accepted, and there is no default",
        arguments: [("yes", true), ("no", false)]
    )
    func consent(_ typed: String, _ allows: Bool) async throws {
        let terminal = try PseudoTerminal()
        let questions = Questions(terminal: terminal.program)
        async let answer = questions.answer(Challenge.step(consentNodes, type: .consent))
        let shown = await terminal.shows("Allow this (yes, no): ")
        #expect(shown.contains("Read your tasks: tasks.read\r\n") && shown.contains(": tasks.write\r\n"), "\(shown)")
        #expect(!shown.unicodeScalars.contains("\u{1B}"))
        terminal.type("\n")
        _ = await terminal.shows("Allow this (yes, no): ")
        terminal.type("perhaps\n")
        #expect(await terminal.shows("Allow this (yes, no): ").contains("Answer yes or no."))
        terminal.type("\(typed)\n")
        #expect(fields(try await answer) == ["allow": .bool(allows)])
    }

    @Test("consent without a terminal comes from the command line, or is the error interaction required")
    func consentGiven() async throws {
        let given = Questions(given: ["allow": "no"], terminal: nil)
        #expect(fields(try await given.answer(Challenge.step(consentNodes, type: .consent))) == ["allow": false])
        let nobody = Questions(terminal: nil)
        let error = await #expect(throws: CommandFailure.self) {
            try await nobody.answer(Challenge.step(consentNodes, type: .consent))
        }
        #expect(
            error?.reason == "interaction_required" && error?.hint?.english.contains("--answer allow=VALUE") == true
        )
    }

    // MARK: Profile

    private let profileNodes = [
        Node(name: "displayName", kind: .text, label: "Name", required: true, value: "Ada"),
        Node(name: "city", kind: .text, label: "City", required: false, value: "Oslo"),
        Node(name: "extension_team", kind: .select, label: "Team", required: false, options: ["red", "blue"]),
    ]

    @Test("profile: Enter keeps the current value, and typed text replaces it") func profile() async throws {
        let terminal = try PseudoTerminal()
        let questions = Questions(terminal: terminal.program)
        async let answer = questions.answer(Challenge.step(profileNodes, type: .profile))
        _ = await terminal.shows("Name [Ada]: ")
        terminal.type("\n")
        _ = await terminal.shows("City [Oslo]: ")
        terminal.type("Bergen\n")
        _ = await terminal.shows("Team (red, blue) (optional): ")
        terminal.type("blue\n")
        #expect(fields(try await answer) == ["displayName": "Ada", "city": "Bergen", "extension_team": "blue"])
    }

    @Test("profile without a terminal: command-line and current values are sent, and an empty answer removes a value")
    func profileGiven() async throws {
        let questions = Questions(given: ["city": "", "extension_team": "red"], terminal: nil)
        let answer = try await questions.answer(Challenge.step(profileNodes, type: .profile))
        #expect(fields(answer) == ["displayName": "Ada", "extension_team": "red"])
        #expect(await questions.unused.isEmpty)
    }

    // MARK: Identifier

    private let name = Node(
        name: "username",
        kind: .text,
        label: "E-mail address",
        required: true,
        minLength: 1,
        maxLength: 254
    )

    @Test("identifier: only the name is prompted for, and echoed") func identifier() async throws {
        let terminal = try PseudoTerminal()
        let questions = Questions(terminal: terminal.program)
        async let answer = questions.answer(Challenge.step([name], type: .identifier, actions: [.create, .cancel]))
        let shown = await terminal.shows("E-mail address: ")
        #expect(shown.contains("Type :create to create an account.") && !shown.contains(":cancel"), "\(shown)")
        #expect(terminal.echoes)
        terminal.type(" ada@example.org \n")
        #expect(fields(try await answer) == ["username": "ada@example.org"])
    }

    @Test("identifier: the offered action creates an account instead") func identifierAction() async throws {
        let terminal = try PseudoTerminal()
        let questions = Questions(terminal: terminal.program)
        async let answer = questions.answer(Challenge.step([name], type: .identifier, actions: [.create, .cancel]))
        _ = await terminal.shows("E-mail address: ")
        terminal.type(":create\n")
        guard case .action("create", nil) = try await answer else {
            Issue.record("the answer was not an action")
            return
        }
    }

    // MARK: New password

    private let passwordNode = Node(
        name: "newPassword",
        kind: .secret,
        label: "New password",
        required: true,
        minLength: 8,
        maxLength: 64,
        hint: "8 to 64 characters."
    )

    @Test("new_password: its reason and its rule are shown, and it is typed twice without echo")
    func newPassword() async throws {
        let terminal = try PseudoTerminal()
        let questions = Questions(terminal: terminal.program)
        let why = Message(code: "password.expired", level: .info, text: "Your password has expired.")
        async let answer = questions.answer(Challenge.step([passwordNode], type: .newPassword, messages: [why]))
        let shown = await terminal.shows("New password: ")
        #expect(shown.contains("Your password has expired.\r\n"), "\(shown)")
        #expect(shown.contains("8 to 64 characters.\r\n"), "\(shown)")
        #expect(!terminal.echoes)
        terminal.type("short\n")
        #expect(await terminal.shows("New password: ").contains("New password must have at least 8 characters."))
        terminal.type("Another-horse-8\n")
        _ = await terminal.shows("New password again: ")
        #expect(!terminal.echoes)
        terminal.type("Another-horse-9\n")
        #expect(await terminal.shows("New password: ").contains("The two entries do not match."))
        terminal.type("Another-horse-8\n")
        let last = await terminal.shows("New password again: ")
        terminal.type("Another-horse-8\n")
        #expect(fields(try await answer) == ["newPassword": "Another-horse-8"])
        #expect(!last.contains("horse"))
    }

    @Test("new_password: the old one is refused with its reason, and another is prompted for") func oldPassword()
        async throws
    {
        let terminal = try PseudoTerminal()
        let questions = Questions(terminal: terminal.program)
        var refusal = Refusal(.invalidAnswer, Text(exactly: "no"))
        refusal.nodes = [NodeProblem(name: "newPassword", code: .malformed, text: "This is your current password.")]
        async let answer = questions.answer(Challenge.step([passwordNode], type: .newPassword, refusal: refusal))
        #expect(await terminal.shows("New password: ").contains("This is your current password.\r\n"))
        terminal.type("Another-horse-8\n")
        _ = await terminal.shows("New password again: ")
        terminal.type("Another-horse-8\n")
        #expect(fields(try await answer) == ["newPassword": "Another-horse-8"])
    }

    // MARK: Assertion

    private let statement = Node(
        name: "assertion",
        kind: .secret,
        label: "Statement",
        required: true,
        maxLength: 12_288
    )

    @Test("assertion: it is pasted once without echo, and prompted for again if rejected")
    func assertion() async throws {
        let terminal = try PseudoTerminal()
        let questions = Questions(terminal: terminal.program)
        async let first = questions.answer(Challenge.step([statement], type: .assertion))
        _ = await terminal.shows("Statement: ")
        #expect(!terminal.echoes)
        terminal.type("eyJh.e30.c2ln\n")
        #expect(fields(try await first) == ["assertion": "eyJh.e30.c2ln"])
        let wrong = Message(code: "assertion.wrong", level: .error, text: "Not accepted.", node: "assertion")
        async let second = questions.answer(Challenge.step([statement], type: .assertion, messages: [wrong]))
        #expect(await terminal.shows("Statement: ").contains("Not accepted.\r\n"))
        terminal.type("eyJh.e31.c2ln\n")
        #expect(fields(try await second) == ["assertion": "eyJh.e31.c2ln"])
    }

    @Test("assertion: without a terminal the refusal says how a program passes it")
    func assertionMissing() async {
        let questions = Questions(terminal: nil)
        let error = await #expect(throws: CommandFailure.self) {
            try await questions.answer(Challenge.step([statement], type: .assertion))
        }
        #expect(error?.reason == "interaction_required" && error?.hint?.english.contains("--password-stdin") == true)
    }
}
