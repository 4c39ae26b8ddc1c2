import Attempts
import AuthorityStore
import FlowModel
import Foundation
import Moments
import OAuth
import Policies

/// A kind of credential that flows set: its steps, its comparison and its change of the account stand in one file.
protocol CredentialKind: Sendable {
    /// The word of the credential.
    var credential: Credential { get }

    /// The change of the account that sets one.
    ///
    /// - Parameters:
    ///   - secret: What the kind's own step has put into ``InHand/secrets``.
    ///   - person: The person who has it from now on.
    ///   - record: The flow that sets it.
    ///   - now: The time.
    /// - Returns: The change.
    func change(setting secret: Data, of person: UserID, _ record: FlowRecord, at now: Moment) -> AccountChange
}

/// A kind of credential that is asked of a person who is known already, and who enrols it.
protocol EnrolledCredentialKind: CredentialKind {
    /// Whether the person has one, at the owner of the flow if it belongs to an owner.
    func isEnrolled(_ person: UserID, _ record: FlowRecord, _ evaluator: Evaluator) async throws -> Bool

    /// Looks up if the person has one, unless the budget is used up: nobody is asked for it then, nor to set one.
    func find(_ use: CredentialUse, _ evaluator: Evaluator) async throws -> EvaluationOutcome

    /// The comparison of an answer, for which an attempt is charged.
    func verify(_ answer: Secret, _ use: CredentialUse, _ evaluator: Evaluator) async throws -> PreparedEvaluation
}

extension EnrolledCredentialKind {
    func find(_ use: CredentialUse, _ evaluator: Evaluator) async throws -> EvaluationOutcome {
        try await evaluator.requireAttempts(use.check, use.subject, origin: use.origin)
        return EvaluationOutcome(finding: .enrolled(try await isEnrolled(use.person, use.record, evaluator)))
    }
}

/// The use of an enrolled credential in a flow.
struct CredentialUse: Sendable {
    let person: UserID
    let check: Check
    let record: FlowRecord
    let caller: Caller

    /// The person for whom answers are counted.
    var subject: Subject { .user(person) }
    /// The place for which they are counted.
    var origin: Origin { record.origin }
    /// What an answer is charged to.
    var charge: AttemptCharge { AttemptCharge(check, subject, origin: origin) }

    /// The outcome of a right answer, which its commit uses up.
    func right(_ ticket: ChargeTicket, using answer: UsedAnswer?) -> EvaluationOutcome {
        let uses = answer.map { [Settlement.Use(answer: $0, check: check, subject: subject)] } ?? []
        return EvaluationOutcome(finding: .right(nil), settled: Settlement(charges: ticket.settled, uses: uses))
    }
}

/// An answer that is compared with an enrolled credential.
struct EnrolledAnswer {
    let typed: Secret
    let person: UserID
    let check: Check

    init(_ typed: Secret?, _ plan: FlowPlan) throws(Answers.Refused) {
        guard let typed, let check = plan.check, let person = plan.person else { throw .malformed([]) }
        self.typed = typed
        self.person = person
        self.check = check
    }

    /// The comparison.
    var evaluation: Evaluation { .verify(typed, person, check) }
}
