import FlowModel
import Moments
import Synchronization

/// The share of each uid in looks at authorities that nobody has configured: ten a minute.
///
/// Kept in memory; of more uids than it remembers the one that looked longest ago is forgotten.
final class LookBudget: Sendable {
    /// The looks of a uid in ``period``.
    static let most = 10
    /// The time for which a look counts.
    static let period: Duration = .seconds(60)
    /// The most uids that are remembered.
    static let mostUIDs = 1_024

    private let looks = Mutex<[UInt32: [Deadline]]>([:])

    /// Counts a look.
    ///
    /// - Throws: `limit_exceeded` for one too many.
    func charge(_ uid: UInt32, at now: Moment) throws(Refusal) {
        let wait: Int64? = looks.withLock { looks in
            var own = looks[uid, default: []].filter { !$0.hasPassed(at: now) }
            if own.count >= Self.most, let first = own.first { return max(1, first.millisecondsLeft(at: now)) }
            if looks[uid] == nil, looks.count >= Self.mostUIDs {
                looks = looks.filter { $0.value.contains { !$0.hasPassed(at: now) } }
                let last = looks.min { ($0.value.last?.boot ?? 0) < ($1.value.last?.boot ?? 0) }
                if looks.count >= Self.mostUIDs, let last { looks[last.key] = nil }
            }
            own.append(Deadline(Self.period, after: now))
            looks[uid] = own
            return nil
        }
        guard let wait else { return }
        throw Refusal(.limitExceeded, "too many authorities were looked at; try again later")
            .with(.limit, "authorityLooks").retrying(afterMs: wait)
    }
}
