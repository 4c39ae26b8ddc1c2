import AuthorityStore
import Crypto
public import FlowModel
import Foundation
public import OAuth

extension Attempts {
    /// Records a wrong answer, and refunds the charges in `ticket` if the answer repeats the previous wrong answer.
    ///
    /// The answer is stored as an encrypted keyed hash, for as long as the origin's budget is stored. Answers for
    /// sign-in names that no user has are recorded too, so that these names behave like the names of users.
    ///
    /// - Throws: A `Refusal` if the record could not be written. In that case, the charges remain.
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

    /// Refunds the charges for an answer that could not be evaluated.
    ///
    /// - Throws: A `Refusal` if the refund could not be written. In that case, the charges remain.
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
