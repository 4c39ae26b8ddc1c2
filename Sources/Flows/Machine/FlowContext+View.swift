import FlowModel
import Moments
import OAuth
import Policies

extension FlowContext {
    /// The flow as its owner sees it; the input of an evaluation is not shown.
    ///
    /// - Parameter attempts: The attempts left of ``budget``.
    /// - Returns: The flow with its open step, if it has one.
    func view(attempts: AttemptsLeft? = nil) -> Flow {
        guard let step = shownStep else { return FlowMachine.outline(state) }
        return Flow(
            id: state.id,
            rev: state.rev,
            policy: state.policy.description,
            state: state.state,
            expiresAt: state.ends.wall,
            stepExpiresAt: step.ends.wall,
            want: state.want,
            step: view(of: step, attempts),
            retryAfterMs: state.retryAfterMs
        )
    }

    /// The actions that are offered instead of answering.
    func actions(of step: OpenStep) -> [Action] {
        [Action(.cancel)] + step.kind.actions(self) + (mayChoose ? [Action(.choose)] : [])
    }

    /// The budget that answers to the open step are charged to; nil if they are not charged.
    var budget: StepBudget? { shownStep?.kind.budget(self) }

    /// The check of the open step.
    var check: Check? { state.step.flatMap(machine.check) }

    private var shownStep: OpenStep? {
        state.evaluating == nil && !state.isTerminal ? state.step : nil
    }

    private func view(of step: OpenStep, _ attempts: AttemptsLeft?) -> Step {
        Step(
            id: stepID(step.ordinal),
            type: step.kind.type,
            check: step.check,
            title: texts[step.kind.title(state), ["app": state.requirement.consent?.clientName ?? state.client]],
            nodes: step.kind.nodes(self),
            attempts: attempts,
            messages: step.messages,
            actions: actions(of: step),
            data: step.kind.data(state)
        )
    }
}
