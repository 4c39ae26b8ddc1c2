import Attempts
import AuthorityStore
import FlowModel
import Policies

/// An evaluation whose charge is known and which can run once that charge is written.
///
/// Nothing is compared until the charge and the claim of the answer are on disk.
enum PreparedEvaluation: Sendable {
    /// Runs the comparison, hashing or call, and returns the result.
    typealias Run = @Sendable () async throws -> EvaluationOutcome

    /// An evaluation that is not charged.
    case free(Run)
    /// An evaluation that is charged as one hash.
    case hash(Origin, Run)
    /// An evaluation that is charged as one attempt.
    case attempt(AttemptCharge, @Sendable (ChargeTicket) async throws -> EvaluationOutcome)
}

/// The charge for an answer.
struct AttemptCharge: Sendable {
    let budget: CheckBudget
    /// The name of the check, for refusals, or `nil` if the answer does not belong to a check.
    let check: String?
    let subject: Subject
    let origin: Origin
    /// The credential to withhold if the charge leads to a block, or `nil` if there is none.
    let withheld: EnrolmentName?

    /// Creates the charge for an answer to a check.
    init(_ check: Check, _ subject: Subject, origin: Origin, withholding credential: EnrolmentName? = nil) {
        budget = CheckBudget(check)
        self.check = check.name
        self.subject = subject
        self.origin = origin
        withheld = credential
    }

    /// Creates the charge for an answer that does not belong to a check.
    init(_ budget: CheckBudget, _ subject: Subject, origin: Origin) {
        self.budget = budget
        check = nil
        self.subject = subject
        self.origin = origin
        withheld = nil
    }
}

extension Evaluator {
    /// Charges an evaluation in the same transaction that claims its answer.
    ///
    /// - Parameters:
    ///   - prepared: The evaluation.
    ///   - claim: The claim, or `nil` if it is already written.
    /// - Returns: The evaluation, which can run now.
    /// - Throws: `Refusal` if a budget is used up. In that case, nothing is claimed. `StoreError` if the claim could
    ///   not be written.
    func begin(_ prepared: PreparedEvaluation, claiming claim: FlowCommit? = nil) async throws -> PreparedEvaluation.Run
    {
        switch prepared {
        case .free(let run):
            if let claim { try await store.flows.commit(claim) }
            return run
        case .hash(let origin, let run):
            try await attempts.chargeHash(origin: origin, claiming: claim)
            return run
        case .attempt(let charge, let run):
            let ticket = try await take(charge, claiming: claim)
            return { try await run(ticket) }
        }
    }

    /// Charges an evaluation and runs it.
    func run(_ prepared: PreparedEvaluation) async throws -> EvaluationOutcome { try await begin(prepared)() }

    /// Charges an attempt.
    ///
    /// If the attempt is refused, the refusal contains the name of the check.
    func take(_ charge: AttemptCharge, claiming claim: FlowCommit? = nil) async throws -> ChargeTicket {
        do {
            return try await attempts.charge(
                check: charge.budget,
                subject: charge.subject,
                origin: charge.origin,
                withholding: charge.withheld,
                claiming: claim
            )
        } catch let refusal as Refusal where refusal.reason == .blocked {
            throw charge.check.map { refusal.with(.check, $0) } ?? refusal
        }
    }
}
