import Attempts
import AuthorityStore
import FlowModel
import Policies

/// An evaluation that can run after its charge and the claim on its answer have been written.
enum PreparedEvaluation: Sendable {
    typealias Run = @Sendable () async throws -> EvaluationOutcome

    case free(Run)
    case hash(Origin, Run)
    case attempt(AttemptCharge, @Sendable (ChargeTicket) async throws -> EvaluationOutcome)
}

struct AttemptCharge: Sendable {
    let budget: CheckBudget
    /// The name of the check to mention in refusals, or `nil` if the answer does not belong to a check.
    let check: String?
    let subject: Subject
    let origin: Origin
    /// The credential to withhold if the charge starts a block, or `nil` if no credential is withheld.
    let withheld: EnrolmentName?

    init(_ check: Check, _ subject: Subject, origin: Origin, withholding credential: EnrolmentName? = nil) {
        budget = CheckBudget(check)
        self.check = check.name
        self.subject = subject
        self.origin = origin
        withheld = credential
    }

    init(_ budget: CheckBudget, _ subject: Subject, origin: Origin) {
        self.budget = budget
        check = nil
        self.subject = subject
        self.origin = origin
        withheld = nil
    }
}

extension Evaluator {
    /// Charges an evaluation in the transaction that writes `claim`, if any, and returns the function that runs it.
    ///
    /// - Throws: A `Refusal` if a budget is used up, in which case nothing is claimed, or a `StoreError`.
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

    func run(_ prepared: PreparedEvaluation) async throws -> EvaluationOutcome { try await begin(prepared)() }

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
