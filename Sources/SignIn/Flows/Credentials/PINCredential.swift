import Attempts
import AuthorityStore
import Credentials
import FlowModel
import Foundation
import Moments
import OAuth
import Policies

/// The PIN that a person has at one owner.
///
/// The wrong answer that uses up the budget takes the PIN away: whoever guesses gets no second round, and the person
/// sets another after proving who they are. The charge of that answer withholds the PIN already, in the commit that claims
/// the answer, so that it is gone even if the program ends before the answer was looked at; only a right answer gives it
/// back.
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
                // It was removed meanwhile.
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
            // Nothing is taken away where a check blocks nobody, or where a right answer has ended the block meanwhile.
            if case .exhausted = finding {
                try await remove(use, evaluator)
            } else {
                try await enrolments.giveBack(stored)
            }
            return EvaluationOutcome(finding: finding)
        }
    }

    /// Takes away what is still withheld after its block: nobody came to remove it.
    private func removeWithheld(_ use: CredentialUse, _ evaluator: Evaluator) async throws {
        let (enrolments, owner) = (evaluator.store.enrolments, use.record.order.owner)
        guard try await enrolments.findWithheld(.pin, of: use.person, at: owner) != nil else { return }
        try await remove(use, evaluator)
    }

    /// Takes away the PIN, since its block was reached.
    private func remove(_ use: CredentialUse, _ evaluator: Evaluator) async throws {
        let facts = ["credential": Credential.pin.rawValue, "reason": "blocked"]
        let removed = Transition.AuditFact(kind: .credentialRemoved, detail: facts)
        let events = use.record.events([removed], use.caller, user: use.person)
        let owner = use.record.order.owner
        try await evaluator.store.enrolments.remove(.pin, of: use.person, at: owner, events: events)
    }
}

/// Asks for the PIN that the person has for the uid of the flow.
struct PinStep: StepKind {
    let type = StepType.pin
    let checkType: CheckType? = .pin
    let texts = StepTexts(title: .pinTitle, wrong: .pinWrong, wrongNode: "pin", choice: .pinChoice)

    /// Looks first if there is a PIN; a browser alone has no uid, and so none.
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

    /// Reads a PIN; one that nobody can have set is malformed, and not charged.
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

/// Asks a person who has no PIN for a new one, once everything that the policy signs in with was proved in this flow.
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

    func take(_ pin: Secret, _ run: inout FlowRun) { run.evaluate(.hash(pin, mailTo: nil)) }

    /// Counts the PIN that was set as proved; it is enrolled when the flow ends well.
    func hashed(_ hash: Data, _ run: inout FlowRun) {
        guard let check = run.plan.check else { return run.fail(.internal) }
        run.record.inHand.secrets[.pin] = hash
        run.record.known.enrolled[.pin] = true
        run.credit(nil, names: [], by: check)
    }
}
