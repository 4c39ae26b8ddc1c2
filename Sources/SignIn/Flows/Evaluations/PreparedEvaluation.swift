import Attempts
import AuthorityStore
import FlowModel
import Policies

/// An evaluation that is ready to run: everything is looked up that decides what it is charged to.
///
/// Nothing is compared before the charge is on the disk, and with it the claim of the answer.
enum PreparedEvaluation: Sendable {
    /// Compares, hashes or asks, and says what it found.
    typealias Run = @Sendable () async throws -> EvaluationOutcome

    /// Nothing is charged.
    case free(Run)
    /// The computation of a hash is charged.
    case hash(Origin, Run)
    /// An attempt is charged.
    case attempt(AttemptCharge, @Sendable (ChargeTicket) async throws -> EvaluationOutcome)
}

/// What an answer to a check is charged to.
struct AttemptCharge: Sendable {
    let budget: CheckBudget
    /// The name of the check for a refusal; nil for answers to none.
    let check: String?
    let subject: Subject
    let origin: Origin
    /// The credential that the charge from which a block follows withholds.
    let withheld: EnrolmentName?

    /// The charge of an answer to a check.
    init(_ check: Check, _ subject: Subject, origin: Origin, withholding credential: EnrolmentName? = nil) {
        budget = CheckBudget(check)
        self.check = check.name
        self.subject = subject
        self.origin = origin
        withheld = credential
    }

    /// The charge of an answer that no check asks for.
    init(_ budget: CheckBudget, _ subject: Subject, origin: Origin) {
        self.budget = budget
        check = nil
        self.subject = subject
        self.origin = origin
        withheld = nil
    }
}

extension Evaluator {
    /// Charges an evaluation, in one transaction with the claim of its answer.
    ///
    /// - Parameters:
    ///   - prepared: The evaluation.
    ///   - claim: The claim; nil if it is written already.
    /// - Returns: The evaluation, which may run now.
    /// - Throws: `Refusal` if a budget refuses; nothing is claimed then. `StoreError` if the claim could not be written.
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

    /// Charges an evaluation, and runs it.
    func run(_ prepared: PreparedEvaluation) async throws -> EvaluationOutcome { try await begin(prepared)() }

    /// Charges an attempt; a refusal names the check.
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
