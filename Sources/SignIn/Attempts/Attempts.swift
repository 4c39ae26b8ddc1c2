public import AuthorityStore
import Crypto
public import FlowModel
import Foundation
import OAuth
public import Origins
import Storage

/// The rule of lockout: charge, block, escalate, unlock.
///
/// An attempt is charged, durably, before its answer is evaluated; while blocked, none is evaluated. No new flow,
/// connection, program, process or setting of the wall clock opens a budget again: only time since boot, a correct
/// answer, or an operator.
public struct Attempts: Sendable {
    /// The greatest number of wrong answers of all owners against one credential of one person in an hour.
    public static let hourlyLimit = 20
    /// The greatest number of wrong answers of one owner, for all persons, in ten minutes.
    public static let perOrigin = 30
    /// The greatest number of wrong answers of one network address, for all persons, in ten minutes: many people may share
    /// it, and for those who have signed in there before it does not count.
    public static let perAddress = 150
    /// The evaluations of all origins in a minute: answers checked, and new passwords hashed.
    public static let evaluations = SharedTotal(most: 600)
    /// The greatest number of evaluations of one origin in a minute, out of those of all.
    public static let perOriginAndMinute = 60

    let store: AuthorityStore
    let lockKey: SymmetricKey
    let mails: MailLimits

    /// The rule over the budgets of `store`.
    public init(store: AuthorityStore, mails: MailLimits = MailLimits()) {
        self.store = store
        self.mails = mails
        lockKey = SymmetricKey(data: store.derived.lockKey.revealBytes())
    }

    /// Charges one attempt against all budgets that it concerns, or none.
    ///
    /// - Parameters:
    ///   - check: The check whose answer is to be evaluated.
    ///   - subject: The person, or name, that the answer is for.
    ///   - origin: The owner who answers.
    ///   - credential: The credential that is withheld from the charge on that blocks, until the answer is known to be right.
    ///   - claim: The claim of the answer, which is written in the same transaction; nil if the answer belongs to no flow, or
    ///     is claimed already.
    /// - Returns: The charges that a correct answer gives back, and the attempts left. The answer must not be evaluated if the
    ///   ticket is void.
    /// - Throws: `Refusal`: `blocked` or `limit_exceeded` with the time to wait; the answer must not be evaluated then, and
    ///   is not claimed. With a claim also `StoreError`, as ``FlowTable/commit(_:)`` throws it.
    public func charge(
        check: CheckBudget,
        subject: Subject,
        origin: Origin,
        withholding credential: EnrolmentName? = nil,
        claiming claim: FlowCommit? = nil
    ) async throws -> ChargeTicket {
        let budgets = AttemptBudgets(check: check, subject: subject, origin: origin, key: lockKey)
        var isVoid = false
        var outcome: ChargeOutcome
        do {
            outcome = try await taken(budgets.all, withholding: credential, claiming: claim)
            if case .blocked(let index, _) = outcome, index == budgets.unseen {
                isVoid = true
                outcome = try await taken(budgets.charges, withholding: credential, claiming: claim)
            }
        } catch {
            if claim != nil { throw error }
            throw Refusal(.storageFailed, Text("refusal.attemptNotStored")).because("\(error)")
        }
        switch outcome {
        case .blocked(let index, let retryAfterMs):
            throw index < AttemptBudgets.origin ? Self.crowded(retryAfterMs) : Self.blocked(retryAfterMs)
        case .charged(let keys, let used):
            let count = used[AttemptBudgets.own]
            // The charge is on the disk, so nothing may refuse the answer any more: without the time the block is unknown.
            let blockedFor =
                count >= check.maxAttempts ? try? await status(check: check, subject: subject, origin: origin) : nil
            return ChargeTicket(
                // Evaluations are a rate, whose charges are never given back.
                settled: keys.filter { !budgets.rates.contains($0.key) },
                remaining: max(0, check.maxAttempts - count),
                max: check.maxAttempts,
                blockedForMs: blockedFor?.retryAfterMs,
                isVoid: isVoid
            )
        }
    }

    /// Takes all charges or none, in one transaction with a claim if there is one.
    private func taken(
        _ charges: [Charge],
        withholding credential: EnrolmentName?,
        claiming claim: FlowCommit?
    ) async throws(StoreError) -> ChargeOutcome {
        guard let claim else { return try await store.attempts.charge(charges, withholding: credential) }
        return try await store.flows.claim(claim, charging: charges, withholding: credential)
    }

    /// Gives the charges of a correct answer back if no other commit does.
    public func settle(_ ticket: ChargeTicket) async throws {
        do {
            try await store.attempts.settle(ticket.settled)
        } catch {
            throw Refusal(.storageFailed, Text("refusal.attemptNotReturned")).because("\(error)")
        }
    }

    /// The budgets in which credentials that a person has just made count as proven at an origin, so that others' wrong
    /// answers do not lock the person out there.
    public func proofs(of credentials: Set<Credential>, by user: UserID, at origin: Origin) -> [ProvenBudget] {
        let subject = Subject.user(user)
        return credentials.map {
            ProvenBudget(
                key: AttemptBudgets.own($0, of: subject, at: origin, key: lockKey),
                subject: AttemptBudgets.name(of: subject, key: lockKey)
            )
        }
    }

    /// The name of all budgets of a person, which are opened by a new password.
    public func budgets(of user: UserID) -> BudgetKey { AttemptBudgets.name(of: .user(user), key: lockKey) }

    /// The answers left in the origin's own budget, and the time for which any budget still refuses.
    public func status(check: CheckBudget, subject: Subject, origin: Origin) async throws -> AttemptStatus {
        let budgets = AttemptBudgets(check: check, subject: subject, origin: origin, key: lockKey)
        let (known, isKnown) = try await peeked(budgets.charges.map(\.key), at: origin)
        let proofs = AttemptBudgets.proofs(check.credential, of: subject, at: origin, key: lockKey)
        let own = known[AttemptBudgets.own]
        // After a block the budget is full again. Where `maxAttempts` was lowered to what is used, one answer is left.
        let used = own.hasBlock ? 0 : min(own.used, check.maxAttempts - 1)
        var wait = own.retryAfterMs
        var crowded: Int64 = 0
        let isProven = try await peeked(proofs, at: origin).budgets.contains { $0.proven }
        for (budget, charge) in zip(known, budgets.charges) where charge.exemptIfProven.isEmpty || !isProven {
            switch charge.rule {
            case .shared(let rate):
                if budget.used >= rate.total.limit(isKnown: isKnown) { crowded = max(crowded, budget.retryAfterMs) }
            case .share(let most, _, let rate):
                let all = known[AttemptBudgets.everybody]
                let left = rate.total.limit(isKnown: isKnown) - all.used - 1
                if budget.used >= most || !rate.total.allows(levelWith: budget.used, left: left) {
                    crowded = max(crowded, all.retryAfterMs)
                }
            case .window(let most, _):
                if budget.used >= most { wait = max(wait, budget.retryAfterMs) }
            case .block: break
            }
        }
        return AttemptStatus(
            remaining: wait > 0 ? 0 : max(0, check.maxAttempts - used),
            max: check.maxAttempts,
            retryAfterMs: max(wait, crowded),
            isCrowded: wait == 0 && crowded > 0
        )
    }

    /// The state of budgets, without charging them, and whether the origin is known.
    private func peeked(
        _ keys: [BudgetKey],
        at origin: Origin
    ) async throws -> (budgets: [Budget], isKnown: Bool) {
        do {
            return try await store.attempts.peek(keys, at: origin.levels)
        } catch {
            throw Refusal(.storageFailed, Text("refusal.attemptsNotRead")).because("\(error)")
        }
    }

    /// The refusal if evaluations as a whole are used up, rather than the attempts of one person.
    static func crowded(_ retryAfterMs: Int64) -> Refusal {
        Refusal(.limitExceeded, Text("refusal.tooManyAnswers")).retrying(afterMs: retryAfterMs)
            .with(.limit, "evaluations")
    }

    static func blocked(_ retryAfterMs: Int64) -> Refusal {
        Refusal(.blocked, Text("refusal.blocked")).retrying(afterMs: retryAfterMs)
    }

    /// Opens every budget against a person, for an operator; it is audited.
    ///
    /// - Parameters:
    ///   - user: The person.
    ///   - names: The person's sign-in names, which may have been locked before they were theirs.
    ///   - caller: The operator.
    /// - Returns: The number of budgets that were opened.
    /// - Throws: `Refusal`.
    @discardableResult
    public func unlock(
        _ user: UserID,
        names: [String] = [],
        by caller: Caller
    ) async throws -> Int {
        let event = AuditEvent(.userUnlocked, by: caller, user: user)
        do {
            var count = try await store.attempts.unlock(
                AttemptBudgets.name(of: .user(user), key: lockKey),
                events: [event]
            )
            for name in names {
                count += try await store.attempts.unlock(AttemptBudgets.name(of: .name(name), key: lockKey), events: [])
            }
            return count
        } catch {
            throw Refusal(.storageFailed, Text("refusal.userNotUnlocked")).because("\(error)")
        }
    }
}
