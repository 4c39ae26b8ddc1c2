import FlowModel
import Moments
import Policies

/// The effects of the passage of time, which need not be written when a caller only reads a flow.
enum FlowTime {
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

    /// Ends the flow if its deadline has passed, but never abandons an evaluation, which could have just returned.
    static func expire(_ run: inout FlowRun) {
        let ends = run.record.order.ends
        guard !run.record.isEnded, ends.hasEnded(at: run.now) else { return }
        run.record.settle(.rejected)
        run.record.end(.expired, keptUntil: ends.later(by: FlowLimits.terminalKept))
        run.audit(.flowExpired)
    }

    /// Abandons an evaluation that has timed out or whose process has ended, and reopens its step or fails the flow.
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
    /// Returns a deadline that is `duration` later on both the wall clock and the boot clock.
    func later(by duration: Duration) -> Deadline {
        Deadline(wall: wall + duration.milliseconds, boot: boot + duration.milliseconds, bootID: bootID)
    }
}
