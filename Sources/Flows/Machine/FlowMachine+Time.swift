import FlowModel
import Moments
import Policies

extension FlowMachine {
    /// Lets time go by: flows and steps end, evaluations that nobody finishes are given up.
    ///
    /// What comes out depends on the state and the time alone, so that a reader may look without writing, and whoever
    /// writes later comes to the same steps. An evaluation that comes back right now (`isEvaluated`) is not given up.
    func passTime(_ state: inout FlowRunState, now: Moment, isEvaluated: Bool = false) -> [FlowEffect] {
        guard !state.isTerminal else { return [] }
        if state.ends.hasEnded(at: now) {
            record(&state, .rejected)
            Self.end(&state, .expired, kept: state.ends.later(by: FlowLimits.terminalKept))
            return [.audit("flow.expired")]
        }
        if isEvaluated { return [] }
        giveUp(&state, now: now)
        while state.evaluating == nil, let step = state.step, step.ends.hasEnded(at: now) {
            state.timedOut.insert(step.ordinal)
            if step.type == .code { state.code?.mac = nil }
            reopen(
                &state,
                ends: step.ends.later(by: life(of: step)).earlier(state.ends),
                message: Texts.stepExpired(step.type)
            )
        }
        return []
    }

    /// How long a step waits.
    func life(of step: OpenStep) -> Duration {
        switch step.type {
        case .password: step.check.flatMap { catalogue[check: $0]?.attemptingStateExpiration } ?? FlowLimits.stepLife
        case .attributes, .identifier, .code, .consent: FlowLimits.stepLife
        }
    }

    /// Opens the open step once more, under another id.
    func reopen(_ state: inout FlowRunState, ends: Deadline, message: Message) {
        guard let step = state.step else { return }
        state.ordinal += 1
        state.rev += 1
        state.step = OpenStep(
            ordinal: state.ordinal,
            type: step.type,
            check: step.check,
            ends: ends,
            attempts: step.attempts,
            messages: [message]
        )
    }

    private func giveUp(_ state: inout FlowRunState, now: Moment) {
        guard let claim = state.evaluating, let step = state.step,
            claim.runner != runner || claim.ends.hasEnded(at: now)
        else { return }
        record(&state, .rejected)
        state.state = .challenge
        if step.type == .attributes { state.draft = nil }
        reopen(&state, ends: step.ends, message: Texts.interrupted)
    }
}

extension Deadline {
    /// The deadline that lies `duration` later by both clocks.
    func later(by duration: Duration) -> Deadline {
        Deadline(wall: wall + duration.milliseconds, boot: boot + duration.milliseconds, bootID: bootID)
    }
}
