import FlowModel
import Moments
import OAuth
import Synchronization

/// The failed proofs of clients, counted by the place they came from.
///
/// They are counted in memory and by place only, so that nobody can keep a client away from others: a secret has too
/// many bits to be guessed, and the count spares the log.
final class ClientFailures: Sendable {
    /// The failures of one place after which its wrong proofs are put off.
    static let perOrigin = 30
    /// The time after which a place's failures are forgotten.
    static let period: Duration = .seconds(600)
    /// The most places remembered; beyond it the one that ends first is forgotten.
    static let mostOrigins = 4_096

    private struct Count {
        var failures: Int
        let ends: Deadline
    }

    private let counts = Mutex<[Origin: Count]>([:])

    /// Refuses a place that has failed too often.
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

    /// Counts a failure.
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
