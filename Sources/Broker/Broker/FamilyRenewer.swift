import FlowModel
import Moments
import TokenCache

struct FamilyKey: Hashable, Sendable {
    let uid: UInt32
    let account: String
    let client: String
    let policy: String
}

/// Renews token families with at most one request per family, which continues even if its callers stop waiting.
actor FamilyRenewer {
    /// A function that redeems the family's newest refresh token, and durably stores the new tokens before it returns.
    typealias Renew = @Sendable () async throws -> TokenRow

    static let deadline = ExternalWait.longest

    private typealias Waiter = CheckedContinuation<TokenRow, any Error>

    private struct Renewal {
        let work: Task<Void, Never>
        var timer: Task<Void, Never>?
        var waiters: [UInt64: Waiter] = [:]
        /// Whether the deadline has passed, so that the family's next renewal must wait until this renewal has stopped.
        var isLate = false
    }

    private let clock: any Clock<Duration>
    private var underWay: [FamilyKey: Renewal] = [:]
    private var lastWaiter: UInt64 = 0
    /// The families that were recently renewed ahead of time, and when each can be renewed ahead of time again.
    private var ahead: [FamilyKey: Deadline] = [:]

    /// The minimum time between two early renewals of a family.
    static let aheadPause: Duration = .seconds(60)
    /// The maximum number of families that can be renewed ahead of time within ``aheadPause``.
    private static let mostAhead = 1_024

    init(clock: any Clock<Duration> = ContinuousClock()) {
        self.clock = clock
    }

    /// Renews a family by calling `renew`, and returns the new token to all callers that are waiting for this renewal.
    ///
    /// - Throws: The renewal's error; `storage_failed` after the deadline; `CancellationError` after a cancellation.
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
            // This function has not suspended since the lookup above, so the renewal exists and is not late.
            try await withCheckedThrowingContinuation { (waiter: Waiter) in
                underWay[family]?.waiters[id] = waiter
            }
        } onCancel: {
            Task { await self.leave(family, id) }
        }
    }

    /// Starts a renewal that no caller waits for, unless ``mayRenewAhead(_:at:)`` returns `false`.
    func renewAhead(_ family: FamilyKey, at now: Moment, _ renew: @escaping Renew) {
        guard mayRenewAhead(family, at: now) else { return }
        begin(family, renew)
    }

    /// Starts to renew a token if it is in the second half of its lifetime, without making the caller wait.
    ///
    /// - Returns: How many milliseconds before the expiry to call this again, or 0 if the token is not renewed early.
    func renewAhead(_ family: FamilyKey, _ row: TokenRow, at now: Moment, _ renew: @escaping Renew) -> Int64 {
        guard row.expires.left(at: now) <= row.renewalLead else { return row.renewalLead }
        renewAhead(family, at: now, renew)
        // With this value, the current token is not returned from memory again, so the next caller gets the new one.
        return row.expires.left(at: now)
    }

    /// Whether a family can be renewed ahead of time; if the result is `true`, this counts as the start of a renewal.
    func mayRenewAhead(_ family: FamilyKey, at now: Moment) -> Bool {
        ahead = ahead.filter { !$0.value.hasPassed(at: now) }
        guard underWay[family] == nil, ahead[family] == nil, ahead.count < Self.mostAhead else { return false }
        ahead[family] = Deadline(Self.aheadPause, after: now)
        return true
    }

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
            // If the renewal ends before the deadline, this task is cancelled, and the sleep throws an error.
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
    /// About half of the lifetime in milliseconds, spread to avoid simultaneous renewals, or 0 if it is unknown.
    var renewalLead: Int64 {
        guard let receivedAt, expiresAt > receivedAt else { return 0 }
        let life = expiresAt - receivedAt
        let jitter = account.utf8.reduce(Int64(0)) { ($0 &* 31 &+ Int64($1)) % 100 } * life / 1_000
        return life / 2 - jitter
    }
}
