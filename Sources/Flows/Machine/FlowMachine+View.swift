import FlowModel
import Moments
import OAuth
import Policies

extension FlowMachine {
    /// The flow as its owner sees it; the input of an evaluation is not shown.
    ///
    /// - Parameters:
    ///   - state: The flow.
    ///   - attempts: The attempts left of ``budget(_:)``.
    /// - Returns: The flow with its open step, if it has one.
    func view(_ state: FlowRunState, attempts: AttemptsLeft? = nil) -> Flow {
        guard let step = shownStep(state) else { return Self.outline(state) }
        return Flow(
            id: state.id,
            rev: state.rev,
            policy: state.policy.description,
            state: state.state,
            expiresAt: state.ends.wall,
            stepExpiresAt: step.ends.wall,
            want: state.want,
            step: view(of: step, state, attempts),
            retryAfterMs: state.retryAfterMs
        )
    }

    /// The flow without its step.
    static func outline(_ state: FlowRunState) -> Flow {
        Flow(
            id: state.id,
            rev: state.rev,
            policy: state.policy.description,
            state: state.state,
            expiresAt: state.ends.wall,
            want: state.want,
            retryAfterMs: state.retryAfterMs
        )
    }

    /// The actions that are offered instead of answering.
    func actions(of step: OpenStep, _ state: FlowRunState) -> [Action] {
        [Action(.cancel)] + step.kind.actions(self, state)
    }

    /// The budget that answers to the open step are charged to; nil if they are not charged.
    func budget(_ state: FlowRunState) -> StepBudget? { shownStep(state)?.kind.budget(self, state) }

    /// The check of the open step.
    func check(_ state: FlowRunState) -> Check? { state.step.flatMap(check) }

    /// The check of a step.
    func check(_ step: OpenStep) -> Check? { step.check.flatMap { catalogue[check: $0] } }

    private func shownStep(_ state: FlowRunState) -> OpenStep? {
        state.evaluating == nil && !state.isTerminal ? state.step : nil
    }

    private func view(of step: OpenStep, _ state: FlowRunState, _ attempts: AttemptsLeft?) -> Step {
        Step(
            id: Self.stepID(state, step.ordinal),
            type: step.kind.type,
            check: step.check,
            title: texts(state)[step.kind.texts.title],
            nodes: step.kind.nodes(self, state),
            attempts: attempts,
            messages: step.messages,
            actions: actions(of: step, state),
            data: step.kind.data(state)
        )
    }
}
