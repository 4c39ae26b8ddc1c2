public import Moments
import Synchronization

/// The origins with a sign-in within 90 days, in memory.
public final class KnownOrigins: Sendable {
    /// The time for which a success counts.
    public static let life = Duration.seconds(90 * 24 * 3600)
    /// The greatest number of origins that are known; beyond it the one whose success is oldest is forgotten.
    public static let most = 4_096
    /// The greatest number of known origins of one user or network.
    public static let mostOfWidest = 64

    private struct Success {
        let widest: String
        let ends: Deadline
    }

    private let successes = Mutex<[String: Success]>([:])

    /// No origin is known yet.
    public init() {}

    /// Notes a success at an origin.
    public func add(_ levels: OriginLevels, at now: Moment) {
        successes.withLock { successes in
            if successes[levels.origin] == nil {
                let own = successes.filter { $0.value.widest == levels.widest }
                if own.count >= Self.mostOfWidest {
                    Self.removeOldest(own, from: &successes)
                } else if successes.count >= Self.most {
                    Self.removeOldest(successes, from: &successes)
                }
            }
            successes[levels.origin] = Success(widest: levels.widest, ends: Deadline(Self.life, after: now))
        }
    }

    /// Whether there was a success at an origin within 90 days.
    public func contains(_ levels: OriginLevels, at now: Moment) -> Bool {
        successes.withLock { $0[levels.origin].map { !$0.ends.hasPassed(at: now) } ?? false }
    }

    private static func removeOldest(_ some: [String: Success], from successes: inout [String: Success]) {
        if let oldest = some.min(by: { $0.value.ends.boot < $1.value.ends.boot }) { successes[oldest.key] = nil }
    }
}
