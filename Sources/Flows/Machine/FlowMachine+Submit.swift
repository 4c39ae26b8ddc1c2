import FlowModel
import Foundation
import Moments
import OAuth
import Policies

extension FlowMachine {
    /// Takes an answer to the open step, and starts its evaluation.
    func submit(
        _ state: inout FlowRunState,
        step id: String,
        id submission: String,
        answers: [String: JSONValue],
        now: Moment
    ) -> [FlowEffect] {
        if let effects = settled(&state, step: id, submission: submission, now: now) { return effects }
        guard let step = state.step else { return [.refuse(Refusals.staleStep(rev: state.rev))] }
        do {
            return try take(
                &state,
                step.kind,
                answers: Answers(answers, texts(state)),
                submission: submission,
                now: now
            )
        } catch {
            switch error {
            case .refused(let refusal) where refusal.reason == .wrongUser:
                claim(&state, submission, now: now)
                return wrongUser(&state, now: now)
            case .refused(let refusal): return [.refuse(refusal)]
            case .malformed(let problems): return malformed(&state, problems, submission, now: now)
            }
        }
    }

    /// Takes an action instead of an answer.
    func act(
        _ state: inout FlowRunState,
        step id: String,
        id submission: String,
        action: String,
        now: Moment
    ) -> [FlowEffect] {
        if let effects = settled(&state, step: id, submission: submission, now: now) { return effects }
        guard let step = state.step, let name = Action.Name(rawValue: action),
            actions(of: step, state).contains(where: { $0.name == name })
        else { return [.refuse(Refusals.noSuchAction(action))] }
        if name == .cancel { return cancelByPerson(&state, submission, now: now) }
        return step.kind.act(name, submission: submission, self, &state, now: now)
    }

    /// The result of an answer that can be decided without evaluating it; nil otherwise.
    private func settled(
        _ state: inout FlowRunState,
        step id: String,
        submission: String,
        now: Moment
    ) -> [FlowEffect]? {
        if let record = state.submissions.last(where: { $0.id == submission }) {
            if state.evaluating?.submission == submission { return [.refuse(Refusals.submissionInProgress)] }
            return [.answer(record.verdict ?? .rejected)]
        }
        guard (1...FlowLimits.idLength).contains(submission.unicodeScalars.count) else {
            return [.refuse(Refusals.submissionID)]
        }
        if state.isTerminal { return [.refuse(Refusals.flowFinished(state.state))] }
        guard let step = state.step, Self.stepID(state, step.ordinal) == id else {
            let isTimedOut = state.timedOut.contains { Self.stepID(state, $0) == id }
            return [.refuse(isTimedOut ? Refusals.expiredStep : Refusals.staleStep(rev: state.rev))]
        }
        if state.evaluating != nil { return [.refuse(Refusals.submissionInProgress)] }
        if state.submissions.count >= FlowLimits.submissionsPerFlow {
            claim(&state, submission, now: now)
            return fail(&state, .denied, now: now)
        }
        return nil
    }

    private func take<Kind: StepKind>(
        _ state: inout FlowRunState,
        _ kind: Kind,
        answers: Answers,
        submission: String,
        now: Moment
    ) throws(Answers.Refused) -> [FlowEffect] {
        let answer = try kind.read(answers, self, state, now: now)
        claim(&state, submission, now: now)
        return kind.take(answer, self, &state, now: now)
    }

    /// Marks an answer as being evaluated, so that it cannot be used again.
    func claim(_ state: inout FlowRunState, _ submission: String, now: Moment) {
        guard let step = state.step else { return }
        state.submissions.append(SubmissionRecord(id: submission, ordinal: step.ordinal))
        state.evaluating = Claim(
            submission: submission,
            runner: runner,
            ends: Deadline(FlowLimits.evaluation, after: now)
        )
        state.state = .pending
        state.rev += 1
    }

    private func malformed(
        _ state: inout FlowRunState,
        _ problems: [NodeProblem],
        _ submission: String,
        now: Moment
    ) -> [FlowEffect] {
        state.step?.malformed += 1
        state.rev += 1
        guard let step = state.step, step.malformed > FlowLimits.malformedPerStep else {
            return [.refuse(Refusals.invalidAnswer(problems))]
        }
        claim(&state, submission, now: now)
        return fail(&state, .denied, now: now)
    }

    private func cancelByPerson(_ state: inout FlowRunState, _ submission: String, now: Moment) -> [FlowEffect] {
        claim(&state, submission, now: now)
        record(&state, .accepted)
        end(&state, .cancelled, now: now)
        return [.audit(.flowCancelled), .answer(.accepted)]
    }
}
