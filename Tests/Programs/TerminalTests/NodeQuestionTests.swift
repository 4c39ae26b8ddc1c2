import FlowModel
import OAuth
import Testing

@testable import Terminal

/// Fields for attributes of every type at a terminal.
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

    @Test("several answers are separated by commas, and the current value is the default") func several() {
        #expect(days.value(of: "mon, Tuesday") == ["mon", "tue"])
        #expect(days.value(of: "mon\nfri") == ["mon", "fri"])
        #expect(days.problem(with: "mon, sun") != nil && days.problem(with: "mon,fri") == nil)
    }
}
