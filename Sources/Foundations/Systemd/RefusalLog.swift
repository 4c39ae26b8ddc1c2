public import Logging
public import Moments
import Synchronization

/// A log of rejected requests with a limit per origin per minute, so that no origin can flood the journal.
///
/// The log also says that refusals are omitted and, after the minute, how many were omitted.
public final class RefusalLog: Sendable {
    /// The maximum number of logged refusals per origin per minute.
    public static let linesPerOrigin = 20
    /// The maximum number of origins that are counted separately per minute, while all others share one count.
    public static let origins = 64

    private struct Minute {
        var ends: Deadline?
        var counts: [String: Int] = [:]
    }

    private let logger: Logger
    private let level: Logger.Level
    private let clock: MomentClock
    private let minute = Mutex(Minute())

    /// Creates a log that writes to `logger` at the given level.
    public init(logger: Logger, level: Logger.Level = .info, clock: MomentClock = .system) {
        self.logger = logger
        self.level = level
        self.clock = clock
    }

    /// Logs a rejected request from `origin` (a uid or an address), or only counts it if the limit is reached.
    ///
    /// `other` replaces the level of this log for this entry.
    public func refused(
        _ message: Logger.Message,
        of origin: String,
        level other: Logger.Level? = nil,
        metadata: Logger.Metadata
    ) {
        let level = other ?? level
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
                "refusals were omitted",
                metadata: ["origin": "\(origin)", "count": "\(count - Self.linesPerOrigin)"]
            )
        }
        switch count {
        case ...Self.linesPerOrigin: logger.log(level: level, message, metadata: metadata)
        case Self.linesPerOrigin + 1:
            logger.log(
                level: level,
                "further refusals in this minute are omitted",
                metadata: ["origin": "\(origin)"]
            )
        default: break
        }
    }
}
