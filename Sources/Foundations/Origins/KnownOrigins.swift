public import Moments
import Synchronization

/// An in-memory set of the origins, such as uids, from which users signed in within the last 90 days.
public final class KnownOrigins: Sendable {
    /// How long an origin stays known after a successful sign-in.
    public static let life = Duration.seconds(90 * 24 * 3600)
    /// The maximum number of known origins, above which the origin with the oldest sign-in is removed.
    public static let most = 4_096
    /// The maximum number of known origins that belong to the same user or network.
    public static let mostOfWidest = 64

    private struct Success {
        let widest: String
        let ends: Deadline
    }

    private let successes = Mutex<[String: Success]>([:])

    /// Creates an empty set.
    public init() {}

    /// Records a successful sign-in from an origin.
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

    /// Whether there was a successful sign-in from an origin in the 90 days before `now`.
    public func contains(_ levels: OriginLevels, at now: Moment) -> Bool {
        successes.withLock { $0[levels.origin].map { !$0.ends.hasPassed(at: now) } ?? false }
    }

    private static func removeOldest(_ some: [String: Success], from successes: inout [String: Success]) {
        if let oldest = some.min(by: { $0.value.ends.boot < $1.value.ends.boot }) { successes[oldest.key] = nil }
    }
}
