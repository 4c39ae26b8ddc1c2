import FlowModel
import HostedPages
import OAuth
import Testing

@Suite(.timeLimit(.minutes(1))) struct StepAnswersTests {
    private func answers(_ kind: Node.Kind, _ fields: [(String, String)]) -> [String: JSONValue] {
        let node = Node(name: "x", kind: kind, label: "X", required: false, options: ["a", "b"])
        let step = Step(id: "st_1", type: .attributes, title: "T", nodes: [node])
        return StepPage.answers(fields.map { (name: $0.0, value: $0.1) }, to: step)
    }

    @Test("an empty field is no answer", arguments: Node.Kind.allCases.filter { $0 != .bool })
    func empty(_ kind: Node.Kind) {
        #expect(answers(kind, kind == .multiselect ? [] : [("x", "")]) == [:])
    }

    @Test("an unticked box means no") func boxes() {
        #expect(answers(.bool, []) == ["x": false])
        #expect(answers(.bool, [("x", "true")]) == ["x": true])
        #expect(answers(.bool, [("x", "on")]) == ["x": false])
    }

    @Test("a number is parsed, and other input stays text for the flow to reject") func numbers() {
        #expect(answers(.number, [("x", "42")]) == ["x": 42])
        #expect(answers(.number, [("x", "four")]) == ["x": "four"])
    }

    @Test("several boxes are a list") func several() {
        #expect(answers(.multiselect, [("x", "a"), ("x", "b")]) == ["x": ["a", "b"]])
    }

    @Test("of the two fields of a new secret, the visible one counts") func reveal() {
        #expect(answers(.secret, [("x", "hidden"), ("_shown.x", "seen")]) == ["x": "hidden"])
        #expect(answers(.secret, [("x", "hidden"), ("_shown.x", "seen"), ("_show.x", "true")]) == ["x": "seen"])
        #expect(answers(.secret, [("x", "hidden"), ("_show.x", "true")]) == [:])
    }

    @Test("a field that the step does not have is ignored") func unasked() {
        #expect(answers(.text, [("y", "1"), ("_csrf", "c"), ("x", "2")]) == ["x": "2"])
    }
}
