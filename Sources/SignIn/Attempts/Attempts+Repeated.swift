import AuthorityStore
import Crypto
public import FlowModel
import Foundation
public import OAuth

extension Attempts {
    /// Records a wrong answer, and refunds the charges in `ticket` if it repeats the previous wrong answer.
    ///
    /// The answer is stored as an encrypted keyed hash, even for sign-in names that no user has.
    ///
    /// - Throws: A `Refusal` if the record cannot be written, in which case the charges remain.
    public func note(
        wrong answer: Secret,
        _ ticket: ChargeTicket,
        check: CheckBudget,
        subject: Subject,
        origin: Origin
    ) async throws {
        let own = AttemptBudgets.own(check.credential, of: subject, at: origin, key: lockKey)
        let text = Data("answer\u{1F}\(own.text)\u{1F}".utf8) + answer.revealBytes()
        let mac = HMAC<SHA256>.authenticationCode(for: text, using: lockKey)
        do {
            try await store.attempts.note(
                wrong: Secret(bytes: Data(mac)),
                in: own,
                max: check.maxAttempts,
                charged: ticket.settled
            )
        } catch {
            throw Refusal(.storageFailed, Text("refusal.attemptNotStored")).because("\(error)")
        }
    }

    /// Refunds the charges for an answer that could not be evaluated, or throws a `Refusal` and keeps the charges.
    public func giveBack(
        _ ticket: ChargeTicket,
        check: CheckBudget,
        subject: Subject,
        origin: Origin
    ) async throws {
        let own = AttemptBudgets.own(check.credential, of: subject, at: origin, key: lockKey)
        do {
            try await store.attempts.giveBack(ticket.settled, own: own, max: check.maxAttempts)
        } catch {
            throw Refusal(.storageFailed, Text("refusal.attemptNotStored")).because("\(error)")
        }
    }
}
