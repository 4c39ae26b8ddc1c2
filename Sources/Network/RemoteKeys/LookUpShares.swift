import Moments
import Origins

/// Limits how often unknown keys are requested, so that a sender of invalid tokens cannot use up all lookups.
struct LookUpShares {
    struct Limits: Hashable, Sendable {
        let interval: Duration
        let ofCaller: Int
        let ofAll: Int
    }

    private struct Grant {
        let levels: OriginLevels
        let at: Moment
    }

    private let limits: Limits
    private var total: SharedTotal { SharedTotal(most: limits.ofAll) }
    /// The lookups in the last interval (at most ``Limits/ofAll``), oldest first.
    private var grants: [Grant] = []

    init(_ limits: Limits) {
        self.limits = limits
    }

    /// Counts one lookup by the caller whose name the closure `caller` returns.
    ///
    /// The closure is not called if the limit for all callers has been reached.
    ///
    /// - Throws: ``RemoteKeysError`` with code `limited` and the time until the next lookup is allowed.
    mutating func take(for caller: () -> String, known: KnownOrigins, at now: Moment) throws(RemoteKeysError) {
        grants = grants.filter { $0.at.age(at: now) < limits.interval.milliseconds }
        if grants.count >= limits.ofAll { throw refusal(grants.first, at: now) }
        let levels = OriginLevels(peerName: caller())
        let left = total.limit(isKnown: known.contains(levels, at: now)) - grants.count - 1
        if left < 0 { throw refusal(grants.first, at: now) }
        for level in OriginLevels.Level.allCases {
            let own = grants.filter { $0.levels[level] == levels[level] }
            let isOver = level == .origin && own.count >= limits.ofCaller
            if isOver || !total.allows(levelWith: own.count, left: left) { throw refusal(own.first, at: now) }
        }
        grants.append(Grant(levels: levels, at: now))
    }

    private func refusal(_ oldest: Grant?, at now: Moment) -> RemoteKeysError {
        let since = oldest.map { $0.at.age(at: now) } ?? 0
        let wait = Duration.milliseconds(max(1, limits.interval.milliseconds - since))
        return RemoteKeysError(.limited, "the keys were looked up too recently", retryAfter: wait)
    }
}
