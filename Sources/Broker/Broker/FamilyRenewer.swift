import FlowModel
import Moments
import TokenCache

/// Identifies a refresh-token family in the cache.
struct FamilyKey: Hashable, Sendable {
    let uid: UInt32
    let account: String
    let client: String
    let policy: String
}

/// Renews refresh-token families with one request per family, however many callers wait and whatever scopes they
/// request.
///
/// This is an actor because callers share the renewals in progress. A caller that arrives during a renewal shares its
/// outcome. A caller that arrives later starts a new renewal. If a caller stops waiting, the renewal continues until it
/// completes or reaches its deadline.
actor FamilyRenewer {
    /// Redeems the family's newest refresh token, and durably stores the new tokens before it returns.
    typealias Renew = @Sendable () async throws -> TokenRow

    /// The maximum duration of one renewal.
    static let deadline = ExternalWait.longest

    private typealias Waiter = CheckedContinuation<TokenRow, any Error>

    private struct Renewal {
        let work: Task<Void, Never>
        var timer: Task<Void, Never>?
        var waiters: [UInt64: Waiter] = [:]
        /// Whether the deadline has passed.
        ///
        /// If so, the renewal is cancelled, and no other renewal starts until this one has stopped.
        var isLate = false
    }

    private let clock: any Clock<Duration>
    private var underWay: [FamilyKey: Renewal] = [:]
    private var lastWaiter: UInt64 = 0
    /// The families that were recently renewed ahead of time, and when each can be renewed ahead of time again.
    private var ahead: [FamilyKey: Deadline] = [:]

    /// The minimum time between two renewals of a family ahead of time.
    static let aheadPause: Duration = .seconds(60)
    /// The maximum number of families that can be renewed ahead of time within ``aheadPause``.
    private static let mostAhead = 1_024

    /// Creates a renewer with no renewal in progress.
    init(clock: any Clock<Duration> = ContinuousClock()) {
        self.clock = clock
    }

    /// Returns the token from renewing a family, or throws the error that all callers waiting for this renewal get.
    ///
    /// - Throws: The renewal's error; `storage_failed` if the deadline passes; `CancellationError` immediately if the
    ///   caller is cancelled.
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
            // The actor is not suspended between the lookup above and this point, so the renewal exists and is not
            // late.
            try await withCheckedThrowingContinuation { (waiter: Waiter) in
                underWay[family]?.waiters[id] = waiter
            }
        } onCancel: {
            Task { await self.leave(family, id) }
        }
    }

    /// Starts a renewal that no caller waits for, unless one is in progress or was started very recently.
    ///
    /// The new tokens are stored in the cache. A failure affects only the next caller that needs a new token.
    func renewAhead(_ family: FamilyKey, at now: Moment, _ renew: @escaping Renew) {
        guard mayRenewAhead(family, at: now) else { return }
        begin(family, renew)
    }

    /// Renews a token if it is in the second half of its lifetime.
    ///
    /// - Returns: How many milliseconds before the token's expiry to call this again; 0 if it is not renewed ahead of
    ///   time.
    func renewAhead(_ family: FamilyKey, _ row: TokenRow, at now: Moment, _ renew: @escaping Renew) -> Int64 {
        guard row.expires.left(at: now) <= row.renewalLead else { return row.renewalLead }
        renewAhead(family, at: now, renew)
        // The response must not be reused, so that the next caller gets the new token.
        return row.expires.left(at: now)
    }

    /// Whether a family can be renewed ahead of time now.
    ///
    /// If so, this counts as starting the renewal.
    func mayRenewAhead(_ family: FamilyKey, at now: Moment) -> Bool {
        ahead = ahead.filter { !$0.value.hasPassed(at: now) }
        guard underWay[family] == nil, ahead[family] == nil, ahead.count < Self.mostAhead else { return false }
        ahead[family] = Deadline(Self.aheadPause, after: now)
        return true
    }

    /// Returns the number of callers that are waiting for the renewal in progress.
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
            // The sleep is cancelled when the renewal has ended.
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
    /// How long before its expiry the token is renewed, in milliseconds.
    ///
    /// This is half the token's lifetime, and a little less for some tokens, so that they are not all renewed at once.
    /// 0 if the time of issue is unknown.
    var renewalLead: Int64 {
        guard let receivedAt, expiresAt > receivedAt else { return 0 }
        let life = expiresAt - receivedAt
        let jitter = account.utf8.reduce(Int64(0)) { ($0 &* 31 &+ Int64($1)) % 100 } * life / 1_000
        return life / 2 - jitter
    }
}
