import FlowModel
import Moments
import Synchronization

/// The limit of each uid on calls of a kind that leave the machine, or cost as much.
///
/// Kept in memory; of more uids than it remembers the one that called longest ago is forgotten.
final class CallRateLimit: Sendable {
    /// The time for which a call counts.
    static let period: Duration = .seconds(60)
    /// The most uids that are remembered.
    static let mostUIDs = 1_024

    /// The calls of a uid in ``period``.
    let most: Int
    /// The refusal of one too many, with the name of the limit.
    private let refusal: Refusal
    private let calls = Mutex<[UInt32: [Deadline]]>([:])

    /// A share of each uid in calls of a kind.
    private init(most: Int, limit: String, _ text: Text) {
        self.most = most
        refusal = Refusal(.limitExceeded, text).with(.limit, limit)
    }

    /// Looks at authorities that nobody has configured: ten a minute.
    static var looks: CallRateLimit {
        CallRateLimit(most: 10, limit: "authorityLooks", Text("refusal.tooManyAuthorityLooks"))
    }

    /// Renewals that a caller forces though a token is at hand: 60 a minute.
    static var forcedRenewals: CallRateLimit {
        CallRateLimit(most: 60, limit: "forcedRenewals", Text("refusal.tooManyForcedRenewals"))
    }

    /// Tokens that outside authorities are asked for without a person: 600 a minute.
    static var renewals: CallRateLimit {
        CallRateLimit(most: 600, limit: "renewals", Text("refusal.tooManyOutsideTokens"))
    }

    /// Counts a call, before it is made.
    ///
    /// - Throws: `limit_exceeded` for one too many, with the time to wait.
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
    /// Renewals that callers force.
    let forcedRenewals = CallRateLimit.forcedRenewals
    /// Tokens that outside authorities are asked for, forced or not.
    let renewals = CallRateLimit.renewals
}
