import Attempts
import AuthorityStore
import Crypto
import CustomIdentity
import FlowModel
import Foundation
import Moments
import OAuth
import Policies

/// The step in which a program sends an assertion that is signed by a custom identity provider.
struct AssertionStep: StepKind {
    static let node = "assertion"
    /// The maximum length of an assertion, in characters.
    static let longest = 12_288

    let type = StepType.assertion
    let checkType: CheckType? = .assertion
    let texts = StepTexts(title: .externalTitle, wrong: .assertionWrong, wrongNode: AssertionStep.node)

    func nodes(_ view: FlowView) -> [Node] {
        [
            Node(
                name: Self.node,
                kind: .secret,
                label: view.texts[.assertion],
                required: true,
                maxLength: Self.longest
            )
        ]
    }

    func budget(_ plan: FlowPlan) -> StepBudget? { plan.realmBudget }

    func read(_ answers: Answers, _ run: FlowRun) throws(Answers.Refused) -> (statement: Secret, check: Check) {
        var answers = answers
        let text = answers.text(Self.node, most: Self.longest)
        try answers.finish()
        guard let text, let check = run.plan.check else { throw .malformed([]) }
        return (Secret(text), check)
    }

    func take(_ answer: (statement: Secret, check: Check), _ run: inout FlowRun) {
        // A forged assertion can name any user, so a rejected assertion counts against the named user only for this
        // origin.
        let place = run.record.origin.key
        run.record.inHand.conversation.name = Assertion.claimedName(answer.statement)
            .map { "\($0.prefix(FlowLimits.nameLength)) \(place)" }
        run.evaluate(.assertion(answer.statement, answer.check))
    }
}

/// An evaluation that verifies a signed assertion, which is marked as used in the transaction that accepts it.
struct VerifyAssertion {
    let evaluator: Evaluator

    func prepare(_ statement: Secret, _ check: Check, _ record: FlowRecord) throws -> PreparedEvaluation {
        guard let realms = evaluator.realms, let realm = check.assertion else { throw Refusals.noProvider }
        let subject = record.realmSubject(realm.people)
        return .attempt(AttemptCharge(check, subject, origin: record.origin)) { ticket in
            try await run(statement, of: realm, realms, ticket, check, record)
        }
    }

    private func run(
        _ statement: Secret,
        of realm: AssertionRealm,
        _ realms: RealmCalls,
        _ ticket: ChargeTicket,
        _ check: Check,
        _ record: FlowRecord
    ) async throws -> EvaluationOutcome {
        let subject = record.realmSubject(realm.people)
        let assertion: Assertion
        do {
            let audiences = realms.audiences(record.order.policy)
            assertion = try Assertion(statement, of: realm, audiences: audiences, now: evaluator.clock.now)
        } catch {
            return EvaluationOutcome(finding: try await evaluator.wrong(check, subject, origin: record.origin))
        }
        // An assertion without a `jti` is identified by its hash.
        let id = assertion.id ?? Base64URL.encode(Data(SHA256.hash(data: statement.revealBytes())))
        guard try await !evaluator.store.spentIDs.isSpent(realm.people, id, of: .assertion) else {
            return EvaluationOutcome(finding: try await evaluator.wrong(check, subject, origin: record.origin))
        }
        let used = UsedAnswer.statement(id, of: realm.people, until: assertion.expiresAt)
        let uses = [Settlement.Use(answer: used, check: check, subject: subject)]
        let settled = Settlement(charges: ticket.settled, uses: uses)
        return try await evaluator.found(assertion.identity, of: realm.people, check, settled: settled)
    }
}
