import FlowModel
import Moments
import TokenCache

/// The key of a refresh-token family in the cache.
struct FamilyKey: Hashable, Sendable {
    let uid: UInt32
    let account: String
    let client: String
    let policy: String
}

/// Renews refresh-token families, one request per family for any number of waiting callers and scopes.
///
/// An actor because it owns memory that callers share: the renewals under way. A caller that arrives while one runs
/// shares its outcome; a caller that arrives after its end starts a new one. A caller that leaves stops nothing: the
/// renewal runs to its end or its deadline.
actor FamilyRenewer {
    /// Redeems the family's newest refresh token and stores the new tokens, durably, before it returns.
    typealias Renew = @Sendable () async throws -> TokenRow

    /// The longest time of one renewal.
    static let deadline = ExternalWait.longest

    private typealias Waiter = CheckedContinuation<TokenRow, any Error>

    private struct Renewal {
        let work: Task<Void, Never>
        var timer: Task<Void, Never>?
        var waiters: [UInt64: Waiter] = [:]
        /// True once its deadline has passed: it is cancelled, and no other begins until it has stopped.
        var isLate = false
    }

    private let clock: any Clock<Duration>
    private var underWay: [FamilyKey: Renewal] = [:]
    private var lastWaiter: UInt64 = 0
    /// The renewals ahead of time that were begun lately, each until another may be.
    private var ahead: [FamilyKey: Deadline] = [:]

    /// The time between two renewals of a family ahead of time.
    static let aheadPause: Duration = .seconds(60)
    /// The greatest number of families that are renewed ahead of time within that.
    private static let mostAhead = 1_024

    /// A renewer with no renewal under way.
    init(clock: any Clock<Duration> = ContinuousClock()) {
        self.clock = clock
    }

    /// Returns the token of the family's renewal, or throws the error that all its waiting callers get.
    ///
    /// - Throws: The renewal's error; `storage_failed` when its deadline has passed; `CancellationError` at once when
    ///   the caller is cancelled.
    func renewed(_ family: FamilyKey, _ renew: @escaping Renew) async throws -> TokenRow {
        try Task.checkCancellation()
        if let renewal = underWay[family] {
            guard !renewal.isLate else { throw Self.tooLate }
        } else {
            begin(family, renew)
        }
        lastWaiter += 1
        let id = lastWaiter
        return try await withTaskCancellationHandler {
            // The actor is not suspended from the look-up above to here, so the renewal exists and is not late.
            try await withCheckedThrowingContinuation { (waiter: Waiter) in
                underWay[family]?.waiters[id] = waiter
            }
        } onCancel: {
            Task { await self.leave(family, id) }
        }
    }

    /// Begins a renewal that nobody waits for, unless one is under way or was begun just now.
    ///
    /// Its outcome is in the cache; its failure is for the next caller who needs a new token to find out.
    func renewAhead(_ family: FamilyKey, at now: Moment, _ renew: @escaping Renew) {
        guard mayRenewAhead(family, at: now) else { return }
        begin(family, renew)
    }

    /// Renews a token in the second half of its life.
    ///
    /// - Returns: The milliseconds before its end from which on this must be asked again; 0 if it is not renewed ahead.
    func renewAhead(_ family: FamilyKey, _ row: TokenRow, at now: Moment, _ renew: @escaping Renew) -> Int64 {
        guard row.expires.left(at: now) <= row.renewalLead else { return row.renewalLead }
        renewAhead(family, at: now, renew)
        // Nothing is remembered of it: the next caller gets the new token.
        return row.expires.left(at: now)
    }

    /// True if a family may be renewed ahead of time now; it counts as begun then.
    func mayRenewAhead(_ family: FamilyKey, at now: Moment) -> Bool {
        ahead = ahead.filter { !$0.value.hasPassed(at: now) }
        guard underWay[family] == nil, ahead[family] == nil, ahead.count < Self.mostAhead else { return false }
        ahead[family] = Deadline(Self.aheadPause, after: now)
        return true
    }

    /// Counts the callers that wait for the renewal under way.
    func waiting(_ family: FamilyKey) -> Int { underWay[family]?.waiters.count ?? 0 }

    private func begin(_ family: FamilyKey, _ renew: @escaping Renew) {
        let work = Task {
            let outcome: Result<TokenRow, any Error>
            do {
                outcome = .success(try await renew())
            } catch {
                outcome = .failure(error)
            }
            end(family, outcome)
        }
        underWay[family] = Renewal(work: work)
        underWay[family]?.timer = Task { [clock] in
            // Cancelled when the renewal has ended.
            guard (try? await clock.sleep(for: Self.deadline)) != nil else { return }
            stop(family)
        }
    }

    private func end(_ family: FamilyKey, _ outcome: Result<TokenRow, any Error>) {
        guard let renewal = underWay.removeValue(forKey: family) else { return }
        renewal.timer?.cancel()
        for waiter in renewal.waiters.values { waiter.resume(with: outcome) }
    }

    private func stop(_ family: FamilyKey) {
        guard !Task.isCancelled, let renewal = underWay[family] else { return }
        underWay[family]?.isLate = true
        underWay[family]?.waiters = [:]
        renewal.work.cancel()
        for waiter in renewal.waiters.values { waiter.resume(throwing: Self.tooLate) }
    }

    private func leave(_ family: FamilyKey, _ id: UInt64) {
        underWay[family]?.waiters.removeValue(forKey: id)?.resume(throwing: CancellationError())
    }

    private static let tooLate = Refusal(.storageFailed, Text("refusal.renewalTooSlow"))
        .with(.limit, "renewal").retrying(afterMs: 1_000)
}

extension TokenRow {
    /// The time before a token's end from which on it is renewed, in milliseconds: half of its life, and a little less for
    /// some, so that not all are renewed at once; 0 if nobody knows when it came.
    var renewalLead: Int64 {
        guard let receivedAt, expiresAt > receivedAt else { return 0 }
        let life = expiresAt - receivedAt
        let jitter = account.utf8.reduce(Int64(0)) { ($0 &* 31 &+ Int64($1)) % 100 } * life / 1_000
        return life / 2 - jitter
    }
}
