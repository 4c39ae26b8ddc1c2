import FlowModel
import Moments
import Policies

extension FlowMachine {
    /// Applies the passing of time: flows and steps expire, and evaluations that do not come back are given up.
    ///
    /// The result depends on the state and the time alone, so that a reader need not write, and a later writer comes to
    /// the same steps. An evaluation that has just come back (`isEvaluated`) is not given up.
    func passTime(_ state: inout FlowRunState, now: Moment, isEvaluated: Bool = false) -> [FlowEffect] {
        guard !state.isTerminal else { return [] }
        if state.ends.hasEnded(at: now) {
            record(&state, .rejected)
            Self.end(&state, .expired, kept: state.ends.later(by: FlowLimits.terminalKept))
            return [.audit(.flowExpired)]
        }
        if isEvaluated { return [] }
        giveUp(&state, now: now)
        while state.evaluating == nil, let step = state.step, step.ends.hasEnded(at: now) {
            state.timedOut.insert(step.ordinal)
            step.kind.expired(&state)
            reopen(
                &state,
                ends: step.ends.later(by: step.kind.lifetime(self, step)).earlier(state.ends),
                message: texts(state).message(step.kind.texts.expired, step.kind.texts.expiredLevel)
            )
        }
        return []
    }

    /// Opens the open step once more, under another id.
    func reopen(_ state: inout FlowRunState, ends: Deadline, message: Message) {
        guard let step = state.step else { return }
        state.ordinal += 1
        state.rev += 1
        state.step = OpenStep(
            ordinal: state.ordinal,
            kind: step.kind,
            check: step.check,
            ends: ends,
            messages: [message]
        )
    }

    private func giveUp(_ state: inout FlowRunState, now: Moment) {
        guard let claim = state.evaluating, let step = state.step,
            claim.runner != runner || claim.ends.hasEnded(at: now)
        else { return }
        record(&state, .rejected)
        state.state = .challenge
        step.kind.interrupted(&state)
        reopen(&state, ends: step.ends, message: texts(state).message(.interrupted, .error))
    }
}

extension Deadline {
    /// The deadline that lies `duration` later by both clocks.
    func later(by duration: Duration) -> Deadline {
        Deadline(wall: wall + duration.milliseconds, boot: boot + duration.milliseconds, bootID: bootID)
    }
}
