import FlowModel
import Moments
import Policies

extension FlowRun {
    /// Applies the passing of time: flows and steps expire, and evaluations that do not come back are given up.
    ///
    /// The result depends on the state and the time alone, so that a reader need not write, and a later writer comes to
    /// the same steps. An evaluation that has just come back (`isEvaluated`) is not given up.
    mutating func passTime(isEvaluated: Bool = false) -> [FlowEffect] {
        guard !state.isTerminal else { return [] }
        if state.ends.hasEnded(at: now) {
            record(.rejected)
            FlowMachine.end(&state, .expired, kept: state.ends.later(by: FlowLimits.terminalKept))
            return [.audit(.flowExpired)]
        }
        if isEvaluated { return [] }
        if let effects = giveUp() { return effects }
        while state.evaluating == nil, let step = state.step, step.ends.hasEnded(at: now) {
            state.timedOut.insert(step.ordinal)
            step.kind.expired(&state)
            reopen(
                ends: step.ends.later(by: step.kind.lifetime(step, machine)).earlier(state.ends),
                message: context.texts.message(step.kind.texts.expired, step.kind.texts.expiredLevel)
            )
        }
        return []
    }

    /// Opens the open step once more, under another id.
    mutating func reopen(ends: Deadline, message: Message) {
        guard let step = state.step else { return }
        state.ordinal += 1
        state.rev += 1
        state.step = OpenStep(
            ordinal: state.ordinal,
            kind: step.kind,
            check: step.check,
            at: now,
            ends: ends,
            messages: [message]
        )
    }

    /// Gives up an evaluation that does not come back: its step is open again, and a flow that had none has ended.
    private mutating func giveUp() -> [FlowEffect]? {
        guard let claim = state.evaluating,
            claim.ends.hasEnded(at: now) || claim.runner != machine.runner && !machine.isLive(claim.runner)
        else { return nil }
        guard let step = state.step else {
            FlowMachine.end(&state, .failed(.internal), kept: claim.ends.later(by: FlowLimits.terminalKept))
            return [.audit(.flowFailed, ["reason": FailureReason.internal.rawValue])]
        }
        record(.rejected)
        state.state = .challenge
        step.kind.interrupted(&state)
        reopen(ends: step.ends, message: context.texts.message(.interrupted, .error))
        return nil
    }
}

extension Deadline {
    /// The deadline that lies `duration` later by both clocks.
    func later(by duration: Duration) -> Deadline {
        Deadline(wall: wall + duration.milliseconds, boot: boot + duration.milliseconds, bootID: bootID)
    }
}
