import AuthorityStore
import Crypto
public import FlowModel
import Foundation
public import OAuth

extension Attempts {
    /// Takes note of a wrong answer that was charged: the same one again does not count.
    ///
    /// The answer is kept as a keyed hash, sealed, with the budget of the origin that gave it, and for as long. It may be
    /// that of no user, so that a name without a person counts alike.
    ///
    /// - Parameters:
    ///   - answer: The answer.
    ///   - ticket: The charges of it, which are given back if it is the last wrong one again.
    ///   - check: The check.
    ///   - subject: The person, or name, that it is for.
    ///   - origin: The owner who gave it.
    /// - Throws: `Refusal` if that could not be written; the charges stand then.
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

    /// Takes the charges of an answer back that could not be judged.
    ///
    /// - Parameters:
    ///   - ticket: The charges.
    ///   - check: The check.
    ///   - subject: The person, or name, that the answer was for.
    ///   - origin: The owner who gave it.
    /// - Throws: `Refusal` if that could not be written; the charges stand then.
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
