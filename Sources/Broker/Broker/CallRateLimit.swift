import FlowModel
import Moments
import Synchronization

/// A per-uid rate limit for calls that leave the machine or are similarly expensive.
///
/// The counts are in memory only. If there are too many uids, the one whose last call was the longest ago is dropped.
final class CallRateLimit: Sendable {
    /// The period during which calls are counted.
    static let period: Duration = .seconds(60)
    /// The maximum number of uids in memory.
    static let mostUIDs = 1_024

    /// The maximum number of calls per uid in ``period``.
    let most: Int
    /// The refusal returned above the limit.
    ///
    /// It contains the limit's name.
    private let refusal: Refusal
    private let calls = Mutex<[UInt32: [Deadline]]>([:])

    /// Creates a limit.
    private init(most: Int, limit: String, _ text: Text) {
        self.most = most
        refusal = Refusal(.limitExceeded, text).with(.limit, limit)
    }

    /// The limit on discovering authorities that uids add: ten per minute.
    static var looks: CallRateLimit {
        CallRateLimit(most: 10, limit: "authorityLooks", Text("refusal.tooManyAuthorityLooks"))
    }

    /// The limit on renewals that a caller forces although a valid token is cached: 60 per minute.
    static var forcedRenewals: CallRateLimit {
        CallRateLimit(most: 60, limit: "forcedRenewals", Text("refusal.tooManyForcedRenewals"))
    }

    /// The limit on requesting tokens from external authorities without a user: 600 per minute.
    static var renewals: CallRateLimit {
        CallRateLimit(most: 600, limit: "renewals", Text("refusal.tooManyOutsideTokens"))
    }

    /// Counts a call that is about to be made.
    ///
    /// - Throws: `limit_exceeded` with the time to wait, if the limit is reached.
    func charge(_ uid: UInt32, at now: Moment) throws(Refusal) {
        let wait: Int64? = calls.withLock { calls in
            var own = calls[uid, default: []].filter { !$0.hasPassed(at: now) }
            if own.count >= most, let first = own.first { return max(1, first.millisecondsLeft(at: now)) }
            if calls[uid] == nil, calls.count >= Self.mostUIDs {
                calls = calls.filter { $0.value.contains { !$0.hasPassed(at: now) } }
                let last = calls.min { ($0.value.last?.boot ?? 0) < ($1.value.last?.boot ?? 0) }
                if calls.count >= Self.mostUIDs, let last { calls[last.key] = nil }
            }
            own.append(Deadline(Self.period, after: now))
            calls[uid] = own
            return nil
        }
        guard let wait else { return }
        throw refusal.retrying(afterMs: wait)
    }
}

/// The limits on renewals.
struct CallRateLimits: Sendable {
    /// The limit on renewals that callers force.
    let forcedRenewals = CallRateLimit.forcedRenewals
    /// The limit on requesting tokens from external authorities, whether forced or not.
    let renewals = CallRateLimit.renewals
}
