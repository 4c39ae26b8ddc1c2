public import AuthorityStore
import Crypto
public import FlowModel
import Foundation
import OAuth
public import Origins
import Storage

/// The lockout mechanism, which charges attempts, blocks origins, makes repeated blocks longer, and unlocks users.
///
/// The charge is on disk before an answer is evaluated, and no answer is evaluated during a block. Blocks follow the
/// boot clock, so neither a restart nor a change to the wall clock shortens them.
public struct Attempts: Sendable {
    /// The maximum number of wrong answers for one credential of one user in an hour, from all origins together.
    public static let hourlyLimit = 20
    /// The maximum number of wrong answers from one uid in ten minutes, across all users.
    public static let perOrigin = 30
    /// The limit on wrong answers from one IP address in ten minutes, except for users who have signed in there before.
    public static let perAddress = 150
    /// The limit on evaluations, such as answer comparisons and password hashes, from all origins in a minute.
    public static let evaluations = SharedTotal(most: 600)
    /// The maximum number of evaluations from one origin in a minute, which also count against ``evaluations``.
    public static let perOriginAndMinute = 60

    let store: AuthorityStore
    let lockKey: SymmetricKey
    let mails: MailLimits

    /// Creates a lockout mechanism that stores its budgets in `store`.
    public init(store: AuthorityStore, mails: MailLimits = MailLimits()) {
        self.store = store
        self.mails = mails
        lockKey = SymmetricKey(data: store.derived.lockKey.revealBytes())
    }

    /// Charges one attempt against all budgets that apply, or against none.
    ///
    /// If the charge starts a block, `credential` is no longer accepted, unless the answer turns out to be correct.
    /// `claim` is written in the same transaction.
    ///
    /// - Returns: A ticket with the charges to refund. If the ticket is void, the answer must not be evaluated.
    /// - Throws: A `blocked` or `limit_exceeded` refusal with the time to wait, or a `StoreError` if `claim` is not
    ///   `nil`. In either case, the answer must not be evaluated.
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
            // The charge is on disk, so the answer must be evaluated even if the length of the block cannot be read.
            let blockedFor =
                count >= check.maxAttempts ? try? await status(check: check, subject: subject, origin: origin) : nil
            return ChargeTicket(
                settled: keys.filter { !budgets.rates.contains($0.key) },
                remaining: max(0, check.maxAttempts - count),
                max: check.maxAttempts,
                blockedForMs: blockedFor?.retryAfterMs,
                isVoid: isVoid
            )
        }
    }

    /// Makes all of the charges or none, and writes `claim`, if any, in the same transaction.
    private func taken(
        _ charges: [Charge],
        withholding credential: EnrolmentName?,
        claiming claim: FlowCommit?
    ) async throws(StoreError) -> ChargeOutcome {
        guard let claim else { return try await store.attempts.charge(charges, withholding: credential) }
        return try await store.flows.claim(claim, charging: charges, withholding: credential)
    }

    /// Refunds the charges for a correct answer if the commit that records the answer does not refund them.
    public func settle(_ ticket: ChargeTicket) async throws {
        do {
            try await store.attempts.settle(ticket.settled)
        } catch {
            throw Refusal(.storageFailed, Text("refusal.attemptNotReturned")).because("\(error)")
        }
    }

    /// Returns the budgets in which a user's new credentials are recorded as correct answers from `origin`.
    ///
    /// Wrong answers from other origins then do not lock the user out at `origin`.
    public func proofs(of credentials: Set<Credential>, by user: UserID, at origin: Origin) -> [ProvenBudget] {
        let subject = Subject.user(user)
        return credentials.map {
            ProvenBudget(
                key: AttemptBudgets.own($0, of: subject, at: origin, key: lockKey),
                subject: AttemptBudgets.name(of: subject, key: lockKey)
            )
        }
    }

    /// Returns the key of all of a user's budgets, which are reset when the user sets a new password.
    public func budgets(of user: UserID) -> BudgetKey { AttemptBudgets.name(of: .user(user), key: lockKey) }

    /// Returns the number of answers left in the origin's budget, and the time until answers are evaluated again.
    public func status(check: CheckBudget, subject: Subject, origin: Origin) async throws -> AttemptStatus {
        let budgets = AttemptBudgets(check: check, subject: subject, origin: origin, key: lockKey)
        let (known, isKnown) = try await peeked(budgets.charges.map(\.key), at: origin)
        let proofs = AttemptBudgets.proofs(check.credential, of: subject, at: origin, key: lockKey)
        let own = known[AttemptBudgets.own]
        // After a block, no answer counts as used. If `maxAttempts` was reduced, at least one answer is left.
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

    /// Returns the refusal for a request that is rejected because a limit on evaluations is reached.
    static func crowded(_ retryAfterMs: Int64) -> Refusal {
        Refusal(.limitExceeded, Text("refusal.tooManyAnswers")).retrying(afterMs: retryAfterMs)
            .with(.limit, "evaluations")
    }

    static func blocked(_ retryAfterMs: Int64) -> Refusal {
        Refusal(.blocked, Text("refusal.blocked")).retrying(afterMs: retryAfterMs)
    }

    /// Resets every budget that counts wrong answers against a user, audits the reset, and returns the number of
    /// budgets.
    ///
    /// The budgets of `names` are included, because a name may have been locked before it belonged to the user.
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
