import Attempts
import AuthorityStore
import FlowModel
import Foundation
import Moments
import OAuth
import Policies

protocol CredentialKind: Sendable {
    var credential: Credential { get }

    /// Returns the account change that sets the credential.
    ///
    /// `secret` is the value for this credential in ``InHand/secrets``.
    func change(setting secret: Data, of person: UserID, _ record: FlowRecord, at now: Moment) -> AccountChange
}

/// A kind of credential that a user must enrol before a flow can prompt for it.
protocol EnrolledCredentialKind: CredentialKind {
    /// Whether the user has enrolled the credential.
    ///
    /// A PIN counts only if the user has set it for the flow's owner.
    func isEnrolled(_ person: UserID, _ record: FlowRecord, _ evaluator: Evaluator) async throws -> Bool

    /// Looks up whether the user has enrolled the credential, or throws a refusal if no attempt is left.
    func find(_ use: CredentialUse, _ evaluator: Evaluator) async throws -> EvaluationOutcome

    /// Prepares the comparison of an answer with the credential, which runs after an attempt is charged.
    func verify(_ answer: Secret, _ use: CredentialUse, _ evaluator: Evaluator) async throws -> PreparedEvaluation
}

extension EnrolledCredentialKind {
    func find(_ use: CredentialUse, _ evaluator: Evaluator) async throws -> EvaluationOutcome {
        try await evaluator.requireAttempts(use.check, use.subject, origin: use.origin)
        return EvaluationOutcome(finding: .enrolled(try await isEnrolled(use.person, use.record, evaluator)))
    }
}

struct CredentialUse: Sendable {
    let person: UserID
    let check: Check
    let record: FlowRecord
    let caller: Caller

    var subject: Subject { .user(person) }
    var origin: Origin { record.origin }
    var charge: AttemptCharge { AttemptCharge(check, subject, origin: origin) }

    /// Returns the outcome of a correct answer.
    ///
    /// If `answer` is not `nil`, it is marked as used in the transaction that writes the outcome.
    func right(_ ticket: ChargeTicket, using answer: UsedAnswer?) -> EvaluationOutcome {
        let uses = answer.map { [Settlement.Use(answer: $0, check: check, subject: subject)] } ?? []
        return EvaluationOutcome(finding: .right(nil), settled: Settlement(charges: ticket.settled, uses: uses))
    }
}

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

    var evaluation: Evaluation { .verify(typed, person, check) }
}
