import FlowModel
import OAuth
import Testing

@testable import Terminal

/// Tests terminal prompts for fields that offer options.
@Suite(.timeLimit(.minutes(1)))
struct NodeQuestionTests {
    private let team = NodeQuestion(
        node: Node(
            name: "team",
            kind: .select,
            label: "Team",
            required: true,
            options: ["r", "b", "green"],
            optionLabels: ["r": "Red\u{1B}[2J", "b": "Blue"],
            input: .radio
        )
    )
    private let days = NodeQuestion(
        node: Node(
            name: "days",
            kind: .multiselect,
            label: "Days",
            required: false,
            value: "mon\nfri",
            options: ["mon", "tue", "fri"],
            optionLabels: ["tue": "Tuesday"]
        )
    )

    @Test("options are shown with their labels, and no text in them moves the cursor") func prompt() {
        #expect(team.prompt.hasPrefix("Team (r: Red") && team.prompt.contains("b: Blue, green)"))
        #expect(!team.prompt.contains("\u{1B}"))
        #expect(days.prompt == "Days (mon, tue: Tuesday, fri) [mon, fri]: ")
    }

    @Test("an option is chosen by its value or its label") func words() {
        #expect(
            team.value(of: "b") == "b" && team.value(of: "blue") == "b"
                && team.problem(with: "BLUE") == nil
        )
        #expect(team.problem(with: "yellow") != nil)
    }

    @Test("a code may be typed with spaces, dashes and the digits of any script") func codes() {
        let code = NodeQuestion(
            node: Node(
                name: "code",
                kind: .code,
                label: "Code",
                required: true,
                minLength: 6,
                maxLength: 6,
                pattern: "digits"
            )
        )
        for typed in ["123456", "123 456", "123\u{A0}-456 ", "１２３ ４５６", "٠١٢٣٤٥"] {
            #expect(code.problem(with: typed) == nil, "\(typed)")
        }
        for typed in ["12345", "123 45", "1234567", "12345x"] { #expect(code.problem(with: typed) != nil, "\(typed)") }
    }

    @Test("several answers are separated by commas, and the current value is the default") func several() {
        #expect(days.value(of: "mon, Tuesday") == ["mon", "tue"])
        #expect(days.value(of: "mon\nfri") == ["mon", "fri"])
        #expect(days.problem(with: "mon, sun") != nil && days.problem(with: "mon,fri") == nil)
    }
}
