import Moments
import Origins

/// The limits on lookups at an authority for tokens that the known keys cannot verify: per caller, per network or user,
/// and in total (``SharedTotal``).
///
/// The limits prevent a caller that sends invalid tokens from using up the lookups of others, and limit the total load
/// on the authority.
struct LookUpShares {
    /// The maximum numbers of lookups in one interval.
    struct Limits: Hashable, Sendable {
        let interval: Duration
        /// The maximum number of lookups for one caller.
        let ofCaller: Int
        /// The maximum number of lookups for all callers together.
        let ofAll: Int
    }

    private struct Grant {
        let levels: OriginLevels
        let at: Moment
    }

    private let limits: Limits
    private var total: SharedTotal { SharedTotal(most: limits.ofAll) }
    /// The lookups in the last interval, oldest first, at most ``Limits/ofAll``.
    private var grants: [Grant] = []

    init(_ limits: Limits) {
        self.limits = limits
    }

    /// Counts a lookup against a caller's limit.
    ///
    /// - Parameters:
    ///   - caller: Returns the caller. It is not called while the total limit is reached.
    ///   - known: The origins from which valid tokens came.
    ///   - now: The current time.
    /// - Throws: ``RemoteKeysError`` with code `limited` and the time until the caller's next lookup is allowed.
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
