import Attempts
import AuthorityStore
import FlowModel
import Foundation
import Moments
import OAuth
import Policies

/// A kind of credential that a flow can set.
///
/// Each kind has one file with its steps, its comparison, and the account change that sets it.
protocol CredentialKind: Sendable {
    /// The credential that policies and the store refer to.
    var credential: Credential { get }

    /// Returns the account change that sets the credential.
    ///
    /// - Parameters:
    ///   - secret: The data that the kind's own step has stored in ``InHand/secrets``.
    ///   - person: The user who gets the credential.
    ///   - record: The flow that sets it.
    ///   - now: The current time.
    /// - Returns: The change.
    func change(setting secret: Data, of person: UserID, _ record: FlowRecord, at now: Moment) -> AccountChange
}

/// A kind of credential that an identified user enrols and is then prompted for.
protocol EnrolledCredentialKind: CredentialKind {
    /// Whether the user has enrolled the credential. A credential that is bound to an owner must be bound to the flow's
    /// owner.
    func isEnrolled(_ person: UserID, _ record: FlowRecord, _ evaluator: Evaluator) async throws -> Bool

    /// Looks up whether the user has enrolled the credential.
    ///
    /// Throws if the budget is used up. In that case, the user is prompted neither to enter nor to set the credential.
    func find(_ use: CredentialUse, _ evaluator: Evaluator) async throws -> EvaluationOutcome

    /// Prepares the comparison of an answer.
    ///
    /// Running the prepared evaluation charges an attempt.
    func verify(_ answer: Secret, _ use: CredentialUse, _ evaluator: Evaluator) async throws -> PreparedEvaluation
}

extension EnrolledCredentialKind {
    func find(_ use: CredentialUse, _ evaluator: Evaluator) async throws -> EvaluationOutcome {
        try await evaluator.requireAttempts(use.check, use.subject, origin: use.origin)
        return EvaluationOutcome(finding: .enrolled(try await isEnrolled(use.person, use.record, evaluator)))
    }
}

/// The use of an enrolled credential in one flow.
struct CredentialUse: Sendable {
    let person: UserID
    let check: Check
    let record: FlowRecord
    let caller: Caller

    /// The user that wrong answers are counted against.
    var subject: Subject { .user(person) }
    /// The origin that wrong answers are counted against.
    var origin: Origin { record.origin }
    /// The charge for an answer.
    var charge: AttemptCharge { AttemptCharge(check, subject, origin: origin) }

    /// Returns the outcome of a right answer.
    ///
    /// The commit that writes it also marks the answer as used.
    func right(_ ticket: ChargeTicket, using answer: UsedAnswer?) -> EvaluationOutcome {
        let uses = answer.map { [Settlement.Use(answer: $0, check: check, subject: subject)] } ?? []
        return EvaluationOutcome(finding: .right(nil), settled: Settlement(charges: ticket.settled, uses: uses))
    }
}

/// An answer to compare with an enrolled credential.
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

    /// The evaluation that compares the answer.
    var evaluation: Evaluation { .verify(typed, person, check) }
}
