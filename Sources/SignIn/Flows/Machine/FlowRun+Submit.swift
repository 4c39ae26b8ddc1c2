import FlowModel
import Foundation
import Moments
import OAuth
import Policies

extension FlowRun {
    /// Takes an answer to the open step, and starts its evaluation.
    mutating func submit(step id: String, id submission: String, answers: [String: JSONValue]) -> [FlowEffect] {
        if let effects = settled(step: id, submission: submission) { return effects }
        guard let step = state.step else { return [.refuse(Refusals.staleStep(rev: state.rev))] }
        do {
            return try take(
                step.kind,
                answers: Answers(answers, to: step.kind.nodes(context), context.texts),
                submission: submission
            )
        } catch {
            switch error {
            case .refused(let refusal) where refusal.reason == .wrongUser:
                claim(submission)
                return wrongUser()
            case .refused(let refusal): return [.refuse(refusal)]
            case .malformed(let problems): return malformed(problems, submission)
            }
        }
    }

    /// Takes an action instead of an answer.
    mutating func act(step id: String, id submission: String, action: String, value: String?) -> [FlowEffect] {
        if let effects = settled(step: id, submission: submission) { return effects }
        guard let step = state.step, let name = Action.Name(rawValue: action),
            context.actions(of: step).contains(where: { $0.name == name })
        else { return [.refuse(Refusals.noSuchAction(action))] }
        if name == .cancel { return cancelByPerson(submission) }
        if name == .choose { return choose(value, submission) }
        return step.kind.act(name, submission: submission, &self)
    }

    /// The result of an answer that can be decided without evaluating it; nil otherwise.
    private mutating func settled(step id: String, submission: String) -> [FlowEffect]? {
        if let record = state.submissions.last(where: { $0.id == submission }) {
            if state.evaluating?.submission == submission { return [.refuse(Refusals.submissionInProgress)] }
            return [.answer(record.verdict ?? .rejected)]
        }
        guard (1...FlowLimits.idLength).contains(submission.unicodeScalars.count) else {
            return [.refuse(Refusals.submissionID)]
        }
        if state.isTerminal { return [.refuse(Refusals.flowFinished(state.state))] }
        guard let step = state.step, context.stepID(step.ordinal) == id else {
            let isTimedOut = state.timedOut.contains { context.stepID($0) == id }
            return [.refuse(isTimedOut ? Refusals.expiredStep : Refusals.staleStep(rev: state.rev))]
        }
        if state.evaluating != nil { return [.refuse(Refusals.submissionInProgress)] }
        if state.submissions.count >= FlowLimits.submissionsPerFlow {
            claim(submission)
            state.usedUp = .step
            return fail(.denied)
        }
        return nil
    }

    private mutating func take<Kind: StepKind>(
        _ kind: Kind,
        answers: Answers,
        submission: String
    ) throws(Answers.Refused) -> [FlowEffect] {
        let answer = try kind.read(answers, self)
        claim(submission)
        return kind.take(answer, &self)
    }

    /// Marks an answer as being evaluated, so that it cannot be used again.
    mutating func claim(_ submission: String) {
        guard let step = state.step else { return }
        state.submissions.append(SubmissionRecord(id: submission, ordinal: step.ordinal))
        state.evaluating = newClaim(submission)
        state.state = .pending
        state.rev += 1
    }

    private mutating func malformed(_ problems: [NodeProblem], _ submission: String) -> [FlowEffect] {
        state.step?.malformed += 1
        state.rev += 1
        guard let step = state.step, step.malformed > FlowLimits.malformedPerStep else {
            return [.refuse(Refusals.invalidAnswer(problems))]
        }
        claim(submission)
        state.usedUp = .step
        return fail(.denied)
    }

    private mutating func cancelByPerson(_ submission: String) -> [FlowEffect] {
        claim(submission)
        record(.accepted)
        return cancel() + [.answer(.accepted)]
    }
}
