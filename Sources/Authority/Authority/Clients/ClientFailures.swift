import FlowModel
import Moments
import OAuth
import Synchronization

/// Counts failed client authentications by origin, in memory, so that no caller can lock out a client for others.
///
/// The limit only keeps the log from filling up, because client secrets cannot be guessed.
final class ClientFailures: Sendable {
    /// The maximum number of failures per origin in each ``period``, after which failures get a 429 response.
    static let perOrigin = 30
    static let period: Duration = .seconds(600)
    /// The maximum number of origins to count, beyond which the count that expires first is removed.
    static let mostOrigins = 4_096

    private struct Count {
        var failures: Int
        let ends: Deadline
    }

    private let counts = Mutex<[Origin: Count]>([:])

    func require(_ origin: Origin, at now: Moment) throws(Refusal) {
        let left = counts.withLock { counts -> Int64? in
            guard let count = counts[origin], count.failures >= Self.perOrigin, !count.ends.hasPassed(at: now) else {
                return nil
            }
            return count.ends.millisecondsLeft(at: now)
        }
        if let left {
            throw Refusal(.limitExceeded, Text("refusal.tooManyClientFailures")).retrying(afterMs: left)
        }
    }

    func add(_ origin: Origin, at now: Moment) {
        counts.withLock { counts in
            if counts[origin] == nil, counts.count >= Self.mostOrigins {
                counts = counts.filter { !$0.value.ends.hasPassed(at: now) }
                if counts.count >= Self.mostOrigins,
                    let first = counts.min(by: { $0.value.ends.wall < $1.value.ends.wall })
                {
                    counts[first.key] = nil
                }
            }
            if let old = counts[origin], !old.ends.hasPassed(at: now) {
                counts[origin]?.failures += 1
            } else {
                counts[origin] = Count(failures: 1, ends: Deadline(Self.period, after: now))
            }
        }
    }
}
