import CustomIdentity
import FlowModel
import Moments
import OAuth
import Policies

/// Takes a statement that a provider of one's own has signed, which a program brings.
struct AssertionStep: StepKind {
    /// The name of its node.
    static let node = "assertion"
    /// The longest statement, in characters; an answer as a whole is not longer.
    static let longest = 12_288

    let type = StepType.assertion
    let checkType: CheckType? = .assertion
    let texts = StepTexts(title: .externalTitle, wrong: .assertionWrong, wrongNode: AssertionStep.node)

    func nodes(_ context: FlowContext) -> [Node] {
        [
            Node(
                name: Self.node,
                kind: .secret,
                label: context.texts[.assertion],
                required: true,
                maxLength: Self.longest
            )
        ]
    }

    func data(_ state: FlowRunState) -> JSONValue? { nil }

    func budget(_ context: FlowContext) -> StepBudget? {
        context.realmBudget
    }

    func read(_ answers: Answers, _ run: FlowRun) throws(Answers.Refused) -> (statement: Secret, check: Check) {
        var answers = answers
        let text = answers.text(Self.node, most: Self.longest)
        try answers.finish()
        guard let text, let check = run.context.check else { throw .malformed([]) }
        return (Secret(text), check)
    }

    func take(_ answer: (statement: Secret, check: Check), _ run: inout FlowRun) -> [FlowEffect] {
        // A forged statement names whom it likes, so it counts against that name from this place alone.
        let place = run.state.origin.key
        run.state.realmName = Assertion.claimedName(answer.statement)
            .map { "\($0.prefix(FlowLimits.nameLength)) \(place)" }
        return [.evaluate(.assertion(answer.statement, answer.check))]
    }
}
