import FlowModel
import Foundation
import Moments
import OAuth
import Policies

/// A flow to which an event is applied, at one time: its transitions, which change the state and return the effects.
struct FlowRun {
    let machine: FlowMachine
    var state: FlowRunState
    /// The time of the event.
    let now: Moment

    /// The flow as it is now, to be read.
    var context: FlowContext { FlowContext(machine: machine, state: state) }

    /// Opens the first step.
    mutating func begin() -> [FlowEffect] {
        let effects = advance()
        claimFirst()
        state.rev = 1
        return [.audit(.flowStarted)] + effects
    }

    /// Marks a flow without a question as being evaluated: somebody outside is asked for the first one.
    mutating func claimFirst() {
        guard state.step == nil, !state.isTerminal else { return }
        state.evaluating = newClaim("")
    }

    /// The claim of an answer that is evaluated from now on.
    func newClaim(_ submission: String) -> Claim {
        Claim(submission: submission, runner: machine.runner, ends: Deadline(context.evaluationTime, after: now))
    }

    /// Ends a flow for its owner; who cancels at a question about the client says no to that alone.
    mutating func cancel() -> [FlowEffect] {
        guard !state.isTerminal else { return [] }
        let kept = state.step?.kind.isAboutClient == true ? keepChanges() : []
        end(.cancelled)
        return kept + [.audit(.flowCancelled)]
    }

    /// Ends a flow, and drops everything that must not outlive it.
    mutating func end(_ outcome: FlowState) {
        FlowMachine.end(&state, outcome, kept: Deadline(FlowLimits.terminalKept, after: now))
    }

    /// Ends a flow as failed, in answer to a submission.
    mutating func fail(_ reason: FailureReason) -> [FlowEffect] {
        record(.rejected)
        end(.failed(reason))
        return [.audit(.flowFailed, ["reason": reason.rawValue]), .answer(.rejected)]
    }

    /// Records the verdict on the answer that is being evaluated.
    mutating func record(_ verdict: Verdict) {
        guard let claim = state.evaluating else { return }
        state.evaluating = nil
        if let index = state.submissions.lastIndex(where: { $0.id == claim.submission }) {
            state.submissions[index].verdict = verdict
        }
    }

    /// Switches to a new password.
    mutating func forget(_ submission: String) -> [FlowEffect] {
        claim(submission)
        state.path = .reset
        return advance()
    }

    /// Switches to making an account.
    mutating func create(_ submission: String) -> [FlowEffect] {
        claim(submission)
        state.path = .signUp
        return advance()
    }
}
