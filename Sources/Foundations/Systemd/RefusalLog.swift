public import Logging
public import Moments
import Synchronization

/// Log of refusals, in which nobody can flood the journal: each origin has so many lines a minute.
///
/// The lines beyond are counted. The first of them says that more are left out, and the first refusal after the minute is
/// preceded by how many were.
public final class RefusalLog: Sendable {
    /// The greatest number of refusals of one origin that are logged in a minute.
    public static let linesPerOrigin = 20
    /// The greatest number of origins with lines of their own in a minute; all others share one's.
    public static let origins = 64

    private struct Minute {
        var ends: Deadline?
        /// Refusals of each origin.
        var counts: [String: Int] = [:]
    }

    private let logger: Logger
    private let level: Logger.Level
    private let clock: MomentClock
    private let minute = Mutex(Minute())

    /// A log of refusals.
    ///
    /// - Parameters:
    ///   - logger: Takes the lines.
    ///   - level: The level of the lines.
    ///   - clock: The clock that minutes go by.
    public init(logger: Logger, level: Logger.Level = .info, clock: MomentClock = .system) {
        self.logger = logger
        self.level = level
        self.clock = clock
    }

    /// Logs a refusal, or counts it.
    ///
    /// - Parameters:
    ///   - message: The constant phrase.
    ///   - origin: The peer that was refused, whose lines are counted: a uid or an address.
    ///   - metadata: The facts.
    public func refused(_ message: Logger.Message, of origin: String, metadata: Logger.Metadata) {
        guard logger.logLevel <= level else { return }
        let now = clock.now
        let (count, leftOut) = minute.withLock { minute in
            var leftOut: [String: Int] = [:]
            if minute.ends?.hasPassed(at: now) ?? true {
                leftOut = minute.counts.filter { $0.value > Self.linesPerOrigin }
                minute = Minute(ends: Deadline(.seconds(60), after: now))
            }
            let hasPlace = minute.counts[origin] != nil || minute.counts.count < Self.origins
            let key = hasPlace ? origin : "others"
            minute.counts[key, default: 0] += 1
            return (minute.counts[key, default: 0], leftOut)
        }
        for (origin, count) in leftOut.sorted(by: { $0.key < $1.key }) {
            logger.log(
                level: level,
                "refusals were left out",
                metadata: ["origin": "\(origin)", "count": "\(count - Self.linesPerOrigin)"]
            )
        }
        switch count {
        case ...Self.linesPerOrigin: logger.log(level: level, message, metadata: metadata)
        case Self.linesPerOrigin + 1:
            logger.log(
                level: level,
                "further refusals of this minute are left out",
                metadata: ["origin": "\(origin)"]
            )
        default: break
        }
    }
}
