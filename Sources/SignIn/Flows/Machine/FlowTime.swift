import FlowModel
import Moments
import Policies

/// The passing of time: flows and steps expire, and evaluations that do not come back are given up.
///
/// The result depends on the record and the time alone, so that a reader need not write, and a later writer comes to the
/// same steps.
enum FlowTime {
    /// Applies the passing of time.
    static func pass(_ run: inout FlowRun) {
        expire(&run)
        guard !run.record.isEnded else { return }
        giveUp(&run)
        while case .asking(let step) = run.record.phase, step.ends.hasEnded(at: run.now) {
            run.record.history.timedOut.insert(step.ordinal)
            step.kind.expired(&run.record)
            let life = step.kind.lifetime(of: run.machine.check(step))
            run.reopen(
                step,
                ends: step.ends.later(by: life).earlier(run.record.order.ends),
                message: run.view.texts.message(step.kind.texts.expired, step.kind.texts.expiredLevel)
            )
        }
    }

    /// Ends a flow whose time is over; an evaluation that has just come back is not given up.
    static func expire(_ run: inout FlowRun) {
        let ends = run.record.order.ends
        guard !run.record.isEnded, ends.hasEnded(at: run.now) else { return }
        run.record.settle(.rejected)
        run.record.end(.expired, keptUntil: ends.later(by: FlowLimits.terminalKept))
        run.audit(.flowExpired)
    }

    /// Gives up an evaluation that does not come back: its step is open again, and a flow that had none has ended.
    private static func giveUp(_ run: inout FlowRun) {
        let machine = run.machine
        guard case .evaluating(let claim, let step) = run.record.phase,
            claim.ends.hasEnded(at: run.now) || claim.runner != machine.runner && !machine.isLive(claim.runner)
        else { return }
        run.record.settle(.rejected)
        guard let step else {
            run.record.end(.failed(.internal), keptUntil: claim.ends.later(by: FlowLimits.terminalKept))
            run.audit(.flowFailed, ["reason": FailureReason.internal.rawValue])
            return
        }
        step.kind.interrupted(&run.record)
        run.reopen(step, ends: step.ends, message: run.view.texts.message(.interrupted, .error))
    }
}

extension Deadline {
    /// The deadline that lies `duration` later by both clocks.
    func later(by duration: Duration) -> Deadline {
        Deadline(wall: wall + duration.milliseconds, boot: boot + duration.milliseconds, bootID: bootID)
    }
}
