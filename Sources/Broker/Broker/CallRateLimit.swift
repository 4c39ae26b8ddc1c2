import FlowModel
import Moments
import Synchronization

/// Limits how often each uid can make expensive calls, and forgets the longest inactive uids if there are too many.
final class CallRateLimit: Sendable {
    static let period: Duration = .seconds(60)
    static let mostUIDs = 1_024

    /// The maximum number of calls per uid within one ``period``.
    let most: Int
    private let refusal: Refusal
    private let calls = Mutex<[UInt32: [Deadline]]>([:])

    private init(most: Int, limit: String, _ text: Text) {
        self.most = most
        refusal = Refusal(.limitExceeded, text).with(.limit, limit)
    }

    /// The limit on reading the metadata of authorities that users add.
    static var looks: CallRateLimit {
        CallRateLimit(most: 10, limit: "authorityLooks", Text("refusal.tooManyAuthorityLooks"))
    }

    static var forcedRenewals: CallRateLimit {
        CallRateLimit(most: 60, limit: "forcedRenewals", Text("refusal.tooManyForcedRenewals"))
    }

    /// The limit on requesting tokens from external authorities without prompting a user.
    static var renewals: CallRateLimit {
        CallRateLimit(most: 600, limit: "renewals", Text("refusal.tooManyOutsideTokens"))
    }

    /// Counts a call by `uid`, or throws `limit_exceeded` with the time to wait if the limit is reached.
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

struct CallRateLimits: Sendable {
    let forcedRenewals = CallRateLimit.forcedRenewals
    let renewals = CallRateLimit.renewals
}
