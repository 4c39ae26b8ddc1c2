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
        var flow = Flow(
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
        flow.openedBy = state.openedBy
        flow.openings = state.openings ?? 0
        return flow
    }

    /// The actions that are offered instead of answering.
    func actions(of step: OpenStep) -> [Action] {
        let offersChoice = mayChoose || providerToLink != nil || !choices(of: step).isEmpty
        return [Action(.cancel)] + step.kind.actions(self) + (offersChoice ? [Action(.choose)] : [])
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
            data: data(of: step)
        )
    }

    /// Facts for client programs: those of the kind, and what may be chosen instead.
    private func data(of step: OpenStep) -> JSONValue? {
        var members = step.kind.data(state)?.object ?? [:]
        for (name, choices) in [
            (StepChoice.member, shownChoices(of: step)), (StepChoice.providers, shownProviders),
        ] where !choices.isEmpty {
            members[name] = .array(choices.map(\.json))
        }
        return members.isEmpty ? nil : .object(members)
    }
}
