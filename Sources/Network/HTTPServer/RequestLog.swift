import HTTPTypes
public import Logging
import Synchronization

/// A log with one line for each answered request, without any path, query, header field or body.
///
/// A line contains the route's template instead of the path. After ``linesPerSecond`` lines in a second, requests are
/// only counted. The first request after that second reports the count, even if it is not logged itself.
public final class RequestLog: Sendable {
    /// The maximum number of lines in a second, for all listeners that share the log.
    public static let linesPerSecond = 200

    struct Entry {
        /// The method, or `nil` if the request is malformed.
        let method: HTTPRequest.Method?
        let route: String?
        let status: HTTPResponse.Status
        let time: Duration
        /// The length of the response's body in bytes, or `nil` if it is unknown.
        let bytes: Int?
        let correlationID: String
    }

    fileprivate struct Second {
        var ends: ContinuousClock.Instant?
        var lines = 0
        var omitted = 0
    }

    private let logger: Logger
    private let second = Mutex(Second())

    /// Creates a log that writes to `logger` at level `info`, or at `debug` for the routes of ``Health``.
    public init(logger: Logger) {
        self.logger = logger
    }

    /// Logs a request that was answered at `now`, or only counts it.
    ///
    /// `origin` is called only for a logged request.
    func record(_ entry: Entry, at now: ContinuousClock.Instant, origin: () -> String) {
        let level: Logger.Level = Health.isRoute(entry.route) ? .debug : .info
        guard logger.logLevel <= level else { return report(second.withLock { $0.end(at: now) }) }
        let (isLogged, omitted) = second.withLock { $0.admit(at: now) }
        report(omitted)
        guard isLogged else { return }
        let method = entry.method.flatMap { HTTPMetrics.methods.contains($0) ? $0.rawValue : nil }
        var metadata: Logger.Metadata = [
            "method": "\(method ?? "other")",
            "route": "\(entry.route ?? "none")", "status": "\(entry.status.code)",
            "ms": "\(Int64(entry.time / .milliseconds(1)))", "origin": "\(origin())",
            "correlationId": "\(entry.correlationID)",
        ]
        metadata["bytes"] = entry.bytes.map { "\($0)" }
        logger.log(level: level, "request answered", metadata: metadata)
    }

    /// Reports the requests that have been counted since the last report.
    public func flush() {
        report(
            second.withLock { second in
                defer { second.omitted = 0 }
                return second.omitted
            }
        )
    }

    private func report(_ omitted: Int) {
        if omitted > 0 { logger.info("requests were not logged", metadata: ["count": "\(omitted)"]) }
    }
}

extension RequestLog.Second {
    /// Returns whether a request may be logged, and how many requests of an earlier second must be reported.
    fileprivate mutating func admit(at now: ContinuousClock.Instant) -> (isLogged: Bool, omitted: Int) {
        let reported = end(at: now)
        guard lines < RequestLog.linesPerSecond else {
            omitted += 1
            return (false, reported)
        }
        lines += 1
        return (true, reported)
    }

    /// Begins the next second if this second is over, and returns how many requests must be reported.
    fileprivate mutating func end(at now: ContinuousClock.Instant) -> Int {
        guard ends.map({ $0 <= now }) ?? true else { return 0 }
        let reported = omitted
        self = Self(ends: now + .seconds(1), lines: reported > 0 ? 1 : 0)
        return reported
    }
}
