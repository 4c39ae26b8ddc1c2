public import AuthorityStore
import Crypto
public import FlowModel
import Foundation
import OAuth
public import Origins
import Storage

/// The lockout rule: it charges attempts, blocks origins, lengthens repeated blocks, and unlocks users.
///
/// An attempt is charged durably before its answer is evaluated. During a block, no answer is evaluated. Only time
/// since boot, a right answer, or an operator's command ends a block. A new flow, connection, program or process does
/// not end a block, and neither does setting the wall clock.
public struct Attempts: Sendable {
    /// The maximum number of wrong answers for one credential of one user in an hour, from all origins together.
    public static let hourlyLimit = 20
    /// The maximum number of wrong answers from one uid in ten minutes, counted over all users.
    public static let perOrigin = 30
    /// The maximum number of wrong answers from one IP address in ten minutes, counted over all users.
    ///
    /// Many users can share an address. The limit does not apply to a user who has already signed in there.
    public static let perAddress = 150
    /// The limit on evaluations from all origins in a minute.
    ///
    /// An evaluation compares an answer or hashes a new password.
    public static let evaluations = SharedTotal(most: 600)
    /// The maximum number of evaluations from one origin in a minute.
    ///
    /// They also count against the limit in ``evaluations``.
    public static let perOriginAndMinute = 60

    let store: AuthorityStore
    let lockKey: SymmetricKey
    let mails: MailLimits

    /// Creates the lockout rule, with its budgets stored in `store`.
    public init(store: AuthorityStore, mails: MailLimits = MailLimits()) {
        self.store = store
        self.mails = mails
        lockKey = SymmetricKey(data: store.derived.lockKey.revealBytes())
    }

    /// Charges one attempt against all budgets that apply, or against none.
    ///
    /// - Parameters:
    ///   - check: The limits of the check that will evaluate the answer.
    ///   - subject: The user or the name for which the answer is given.
    ///   - origin: The origin of the answer.
    ///   - credential: The credential to withhold if the charge leads to a block, until the answer turns out to be
    ///     right.
    ///   - claim: The claim on the answer, written in the same transaction, or `nil` if the answer does not belong to a
    ///     flow or is already claimed.
    /// - Returns: The charges that a right answer refunds, and the number of attempts left. If the ticket is void, the
    ///   answer must not be evaluated.
    /// - Throws: `Refusal`: `blocked` or `limit_exceeded` with the time to wait. In that case, the answer must not be
    ///   evaluated and is not claimed. With a claim, also `StoreError`, like ``FlowTable/commit(_:)``.
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
            // The charge is on disk, so the answer must be evaluated. If the status cannot be read, the length of the
            // block is left unknown.
            let blockedFor =
                count >= check.maxAttempts ? try? await status(check: check, subject: subject, origin: origin) : nil
            return ChargeTicket(
                // Evaluations are rate-limited, and their charges are never refunded.
                settled: keys.filter { !budgets.rates.contains($0.key) },
                remaining: max(0, check.maxAttempts - count),
                max: check.maxAttempts,
                blockedForMs: blockedFor?.retryAfterMs,
                isVoid: isVoid
            )
        }
    }

    /// Makes all the charges or none, in the same transaction as the claim if there is one.
    private func taken(
        _ charges: [Charge],
        withholding credential: EnrolmentName?,
        claiming claim: FlowCommit?
    ) async throws(StoreError) -> ChargeOutcome {
        guard let claim else { return try await store.attempts.charge(charges, withholding: credential) }
        return try await store.flows.claim(claim, charging: charges, withholding: credential)
    }

    /// Refunds the charges for a right answer, unless another commit refunds them.
    public func settle(_ ticket: ChargeTicket) async throws {
        do {
            try await store.attempts.settle(ticket.settled)
        } catch {
            throw Refusal(.storageFailed, Text("refusal.attemptNotReturned")).because("\(error)")
        }
    }

    /// Returns the budgets that mark a user's new credentials as already used at an origin.
    ///
    /// This way, wrong answers from other origins do not lock the user out at this one.
    public func proofs(of credentials: Set<Credential>, by user: UserID, at origin: Origin) -> [ProvenBudget] {
        let subject = Subject.user(user)
        return credentials.map {
            ProvenBudget(
                key: AttemptBudgets.own($0, of: subject, at: origin, key: lockKey),
                subject: AttemptBudgets.name(of: subject, key: lockKey)
            )
        }
    }

    /// Returns the name that all of a user's budgets share.
    ///
    /// Setting a new password resets these budgets.
    public func budgets(of user: UserID) -> BudgetKey { AttemptBudgets.name(of: .user(user), key: lockKey) }

    /// Returns the number of answers left in the origin's own budget, and the time until every budget accepts an answer
    /// again.
    public func status(check: CheckBudget, subject: Subject, origin: Origin) async throws -> AttemptStatus {
        let budgets = AttemptBudgets(check: check, subject: subject, origin: origin, key: lockKey)
        let (known, isKnown) = try await peeked(budgets.charges.map(\.key), at: origin)
        let proofs = AttemptBudgets.proofs(check.credential, of: subject, at: origin, key: lockKey)
        let own = known[AttemptBudgets.own]
        // A block resets the budget. If the operator reduced `maxAttempts` to the number already used, one answer is
        // left.
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

    /// Returns the state of budgets without charging them, and whether the origin is already known.
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

    /// Returns the refusal for a reached evaluation limit, which concerns the whole service and not one user.
    static func crowded(_ retryAfterMs: Int64) -> Refusal {
        Refusal(.limitExceeded, Text("refusal.tooManyAnswers")).retrying(afterMs: retryAfterMs)
            .with(.limit, "evaluations")
    }

    static func blocked(_ retryAfterMs: Int64) -> Refusal {
        Refusal(.blocked, Text("refusal.blocked")).retrying(afterMs: retryAfterMs)
    }

    /// Resets every budget that counts wrong answers against a user, for an operator.
    ///
    /// The audit log records the reset.
    ///
    /// - Parameters:
    ///   - user: The object id of the user.
    ///   - names: The user's sign-in names. A name could have been locked before it belonged to the user.
    ///   - caller: The operator who unlocks the user.
    /// - Returns: The number of budgets that were reset.
    /// - Throws: `Refusal` if the budgets could not be written.
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
