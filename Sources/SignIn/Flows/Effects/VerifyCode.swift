import Attempts
import AuthorityStore
import Credentials
import FlowModel
import OAuth
import Policies

/// Charges an attempt, then compares a code with the one that was sent.
struct VerifyCode {
    let effects: Effects

    func run(_ typed: Secret, _ sent: SentCode, _ check: Check, origin: Origin) async throws -> EvaluationOutcome {
        let ticket = try await effects.charge(check, sent.subject, origin: origin)
        let matches = OneTimeCode(typed).map { code in
            sent.mac.map { code.matches(mac: $0, key: effects.store.derived.pepper, context: sent.context) } ?? false
        }
        guard matches == true, !ticket.isVoid else {
            return EvaluationOutcome(finding: try await effects.wrong(check, sent.subject, origin: origin))
        }
        return EvaluationOutcome(finding: .right(nil), settled: ticket.settled)
    }
}

extension Effects {
    /// Charges an attempt; a refusal names the check.
    func charge(
        _ check: Check,
        _ subject: Subject,
        origin: Origin,
        withholding credential: EnrolmentName? = nil
    ) async throws -> ChargeTicket {
        do {
            return try await attempts.charge(
                check: CheckBudget(check),
                subject: subject,
                origin: origin,
                withholding: credential
            )
        } catch let refusal as Refusal where refusal.reason == .blocked {
            throw refusal.with(.check, check.name)
        }
    }
}
