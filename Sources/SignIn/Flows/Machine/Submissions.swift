import FlowModel
import Foundation
import Moments
import OAuth
import Policies

/// Accepts answers to the open step, and actions instead of answers, each only once.
enum Submissions {
    static func submit(_ answers: [String: JSONValue], to id: String, id submission: String, _ run: inout FlowRun) {
        guard let step = open(id, submission, &run) else { return }
        do {
            try take(
                step.kind,
                answers: Answers(answers, to: step.kind.nodes(run.view), run.view.texts),
                submission: submission,
                &run
            )
        } catch {
            switch error {
            case .refused(let refusal) where refusal.reason == .wrongUser:
                run.claim(submission)
                run.wrongUser()
            case .refused(let refusal): run.refuse(refusal)
            case .malformed(let problems): malformed(problems, step, submission, &run)
            }
        }
    }

    static func act(_ action: String, _ value: String?, at id: String, id submission: String, _ run: inout FlowRun) {
        guard let step = open(id, submission, &run) else { return }
        guard let name = Action.Name(rawValue: action),
            run.view.actions(of: step).contains(where: { $0.name == name })
        else { return run.refuse(Refusals.noSuchAction(action)) }
        switch name {
        case .cancel:
            run.claim(submission)
            run.record.settle(.accepted)
            run.cancel()
            run.answer(.accepted)
        case .choose: choose(value, step, submission, &run)
        case .resend, .back, .create, .forgot, .other: step.kind.act(name, submission: submission, &run)
        }
    }

    /// Returns the open step that a submission is for, or `nil` if the submission was refused or already has a verdict.
    private static func open(_ id: String, _ submission: String, _ run: inout FlowRun) -> OpenStep? {
        let record = run.record
        if let before = record.history.submissions.last(where: { $0.id == submission }) {
            if record.phase.claim?.submission == submission {
                run.refuse(Refusals.submissionInProgress)
            } else {
                run.answer(before.verdict ?? .rejected)
            }
            return nil
        }
        guard (1...FlowLimits.idLength).contains(submission.unicodeScalars.count) else {
            run.refuse(Refusals.submissionID)
            return nil
        }
        if record.isEnded {
            run.refuse(Refusals.flowFinished(record.state))
            return nil
        }
        guard let step = record.step, record.stepID(step.ordinal) == id else {
            let isTimedOut = record.history.timedOut.contains { record.stepID($0) == id }
            run.refuse(isTimedOut ? Refusals.expiredStep : Refusals.staleStep(rev: record.history.revision))
            return nil
        }
        if record.isEvaluating {
            run.refuse(Refusals.submissionInProgress)
            return nil
        }
        if record.history.submissions.count >= FlowLimits.submissionsPerFlow {
            run.claim(submission)
            run.fail(.denied, usedUp: .step)
            return nil
        }
        return step
    }

    private static func take<Kind: StepKind>(
        _ kind: Kind,
        answers: Answers,
        submission: String,
        _ run: inout FlowRun
    ) throws(Answers.Refused) {
        let answer = try kind.read(answers, run)
        run.claim(submission)
        kind.take(answer, &run)
    }

    private static func malformed(
        _ problems: [NodeProblem],
        _ step: OpenStep,
        _ submission: String,
        _ run: inout FlowRun
    ) {
        var step = step
        step.malformed += 1
        run.record.phase = .asking(step)
        run.record.history.revision += 1
        guard step.malformed > FlowLimits.malformedPerStep else {
            return run.refuse(Refusals.invalidAnswer(problems))
        }
        run.claim(submission)
        run.fail(.denied, usedUp: .step)
    }

    private static func choose(_ value: String?, _ step: OpenStep, _ submission: String, _ run: inout FlowRun) {
        let (plan, providers) = (run.plan, run.machine.policy.providers)
        if let value, plan.choices(of: step).contains(value) { return swap(step, for: value, submission, &run) }
        if let value, plan.providerToLink == value || plan.mayChoose && providers.contains(value) {
            return ProviderStep().choose(value, submission, &run)
        }
        run.refuse(Refusals.noSuchAction("choose"))
    }

    /// Switches to the second factor `name`, and still accepts a code that was already sent for it.
    private static func swap(_ step: OpenStep, for name: String, _ submission: String, _ run: inout FlowRun) {
        let now = run.now
        let sent = run.record.inHand.code.flatMap { code in
            code.purpose.check == name && code.mac != nil && !code.ends.hasEnded(at: now) ? code : nil
        }
        let sendsMail = sent == nil && run.machine.catalogue[check: name]?.type == .emailCode
        if sendsMail, let refusal = CodeStep.mailRefusal(sameAs: false, run) { return run.refuse(refusal) }
        run.claim(submission)
        run.record.known.otherFactors = run.machine.policy.secondFactor.checks.filter {
            $0 != name && ($0 == step.check || run.record.known.otherFactors.contains($0))
        }
        run.record.known.secondFactor = .check(name)
        if let sent { run.open(CodeStep(), check: name, ends: sent.ends) } else { run.advance() }
    }
}
