import Attempts
import AuthorityStore
import Credentials
import FlowModel
import Foundation
import Moments
import OAuth
import Policies

/// A user's PIN, which is valid only for the uid that it was set for.
///
/// The wrong answer that uses up the last attempt removes the PIN. The PIN is withheld as soon as this attempt is
/// charged, and only a correct answer restores it, even if the process ends before it has evaluated the answer.
struct PINCredential: EnrolledCredentialKind {
    let credential = Credential.pin

    func change(setting secret: Data, of person: UserID, _ record: FlowRecord, at now: Moment) -> AccountChange {
        let owner = record.order.owner
        return .enrol(Enrolment(.pin, of: person, at: owner, secret: Secret(bytes: secret), enrolledAt: now.wall))
    }

    func isEnrolled(_ person: UserID, _ record: FlowRecord, _ evaluator: Evaluator) async throws -> Bool {
        try await evaluator.store.enrolments.find(.pin, of: person, at: record.order.owner) != nil
    }

    func find(_ use: CredentialUse, _ evaluator: Evaluator) async throws -> EvaluationOutcome {
        try await evaluator.requireAttempts(use.check, use.subject, origin: use.origin)
        try await removeWithheld(use, evaluator)
        return EvaluationOutcome(finding: .enrolled(try await isEnrolled(use.person, use.record, evaluator)))
    }

    func verify(_ answer: Secret, _ use: CredentialUse, _ evaluator: Evaluator) async throws -> PreparedEvaluation {
        let place = try evaluator.place(for: use.origin)
        let enrolments = evaluator.store.enrolments
        let name = EnrolmentName(.pin, of: use.person, at: use.record.order.owner)
        let stored = try await enrolments.find(.pin, of: use.person, at: name.owner)
        return .attempt(AttemptCharge(use.check, use.subject, origin: use.origin, withholding: name)) { ticket in
            guard let stored else {
                // The user no longer has a PIN, or the PIN is withheld.
                try await removeWithheld(use, evaluator)
                return EvaluationOutcome(finding: .enrolled(false))
            }
            let pepper = evaluator.store.derived.pepper
            let result = try await evaluator.hasher.verify(answer, against: stored.secret, pepper: pepper, in: place)
            if result.matches {
                return use.right(ticket, using: ticket.isLast ? .withheld(stored) : nil)
            }
            let finding = try await evaluator.wrong(use.check, use.subject, origin: use.origin)
            guard ticket.isLast else { return EvaluationOutcome(finding: finding) }
            // The PIN is kept if the check never blocks users, or if a correct answer has ended the block in the
            // meantime.
            if case .exhausted = finding {
                try await remove(use, evaluator)
            } else {
                try await enrolments.giveBack(stored)
            }
            return EvaluationOutcome(finding: finding)
        }
    }

    private func removeWithheld(_ use: CredentialUse, _ evaluator: Evaluator) async throws {
        let (enrolments, owner) = (evaluator.store.enrolments, use.record.order.owner)
        guard try await enrolments.findWithheld(.pin, of: use.person, at: owner) != nil else { return }
        try await remove(use, evaluator)
    }

    private func remove(_ use: CredentialUse, _ evaluator: Evaluator) async throws {
        let facts = ["credential": Credential.pin.rawValue, "reason": "blocked"]
        let removed = Transition.AuditFact(kind: .credentialRemoved, detail: facts)
        let events = use.record.events([removed], use.caller, user: use.person)
        let owner = use.record.order.owner
        try await evaluator.store.enrolments.remove(.pin, of: use.person, at: owner, events: events)
    }
}

/// The step that prompts for the PIN that the user has set for the uid that owns the flow.
struct PinStep: StepKind {
    let type = StepType.pin
    let checkType: CheckType? = .pin
    let texts = StepTexts(title: .pinTitle, wrong: .pinWrong, wrongNode: "pin", choice: .pinChoice)

    /// Looks up whether the user has a PIN, and fails a flow that a browser owns, because only a uid can have a PIN.
    func begin(_ run: inout FlowRun) -> Bool {
        guard let check = run.plan.nextCheck, check.type == checkType, let person = run.plan.person else {
            return false
        }
        switch run.record.order.owner {
        case .local: break
        case .browser:
            run.fail(with: Refusals.pinNeedsUID.with(.check, check.name))
            return true
        }
        switch run.record.known.enrolled[.pin] {
        case nil: run.evaluate(.find(person, check))
        case true?: run.open(self, check: check.name, messages: [run.view.texts.message(.pinNeeded, .info)])
        case false?: return false
        }
        return true
    }

    func nodes(_ view: FlowView) -> [Node] {
        let rule = view.plan.check?.pin ?? PINRule()
        return [
            Node(
                name: "pin",
                kind: .secret,
                label: view.texts[.pin],
                required: true,
                minLength: PINRule.lengths.lowerBound,
                maxLength: PINRule.lengths.upperBound,
                pattern: rule.digitsOnly ? "digits" : nil
            )
        ]
    }

    func budget(_ plan: FlowPlan) -> StepBudget? { plan.personBudget }

    /// Reads the PIN, and charges no attempt for an answer that cannot be a PIN.
    func read(_ answers: Answers, _ run: FlowRun) throws(Answers.Refused) -> EnrolledAnswer {
        var answers = answers
        let plan = run.plan
        let pin = answers.text("pin", most: FlowLimits.passwordLength)
        if let problem = pin.flatMap({ plan.check?.pin?.refusal(of: $0) }) {
            answers.note("pin", problem.code)
        }
        try answers.finish()
        return try EnrolledAnswer(pin.map { Secret($0) }, plan)
    }

    func take(_ answer: EnrolledAnswer, _ run: inout FlowRun) { run.evaluate(answer.evaluation) }
}

/// The step in which a user without a PIN sets a PIN after passing all the policy's sign-in checks in the same flow.
struct PinSetupStep: StepKind {
    let type = StepType.pinSetup
    let enrols: CheckType? = .pin
    let texts = StepTexts(title: .pinSetupTitle)

    func begin(_ run: inout FlowRun) -> Bool {
        guard run.record.known.enrolled[.pin] == false, let check = run.plan.nextCheck, check.type == .pin else {
            return false
        }
        if run.plan.mayEnrol(check) {
            run.open(self, check: check.name)
        } else {
            run.fail(with: Refusals.noPIN(check))
        }
        return true
    }

    func nodes(_ view: FlowView) -> [Node] {
        let rule = view.plan.check?.pin ?? PINRule()
        return [
            Node(
                name: "pin",
                kind: .secret,
                label: view.texts[.newPIN],
                required: true,
                minLength: rule.minLength,
                maxLength: PINRule.lengths.upperBound,
                pattern: rule.digitsOnly ? "digits" : nil,
                hint: view.texts.hint(rule)
            )
        ]
    }

    func read(_ answers: Answers, _ run: FlowRun) throws(Answers.Refused) -> Secret {
        var answers = answers
        let check = run.plan.check
        let pin = answers.text("pin", most: FlowLimits.passwordLength)
        if let problem = pin.flatMap({ check?.pin?.refusal(ofNew: $0) }) {
            answers.note("pin", problem.code)
        }
        try answers.finish()
        guard let pin else { throw .malformed([]) }
        return Secret(pin)
    }

    func take(_ pin: Secret, _ run: inout FlowRun) { run.evaluate(.hash(pin)) }

    /// Counts the PIN check as passed, and enrolls the PIN only when the flow succeeds.
    func hashed(_ hash: Data, _ run: inout FlowRun) {
        guard let check = run.plan.check else { return run.fail(.internal) }
        run.record.inHand.secrets[.pin] = hash
        run.record.known.enrolled[.pin] = true
        run.credit(nil, names: [], by: check)
    }
}
