import Moments
import Origins

/// The look-ups at an authority for tokens that the known keys do not answer: so many of a caller, of its network or user,
/// and of all (``SharedTotal``).
///
/// No caller that sends invalid tokens uses up the look-ups of others, and all together cost the authority little.
struct LookUpShares {
    /// The most look-ups within an interval.
    struct Limits: Hashable, Sendable {
        let interval: Duration
        /// The most of one caller.
        let ofCaller: Int
        /// The most of all callers.
        let ofAll: Int
    }

    private struct Grant {
        let levels: OriginLevels
        let at: Moment
    }

    private let limits: Limits
    private var total: SharedTotal { SharedTotal(most: limits.ofAll) }
    /// The look-ups within the last interval, oldest first; never more than ``Limits/ofAll``.
    private var grants: [Grant] = []

    init(_ limits: Limits) {
        self.limits = limits
    }

    /// Takes a look-up from the share of a caller.
    ///
    /// - Parameters:
    ///   - caller: Names the caller; not called while no caller may look up.
    ///   - known: The origins from which accepted tokens came.
    ///   - now: The current time.
    /// - Throws: ``RemoteKeysError`` `limited`, with the time until the caller may look up.
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
        return RemoteKeysError(.limited, "the keys were looked up just now", retryAfter: wait)
    }
}
