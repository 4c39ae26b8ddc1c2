import ServiceLifecycle

/// A periodic service for the work that is due: expiry, the keys' schedule, retention, unfinished sign-outs.
struct Housekeeping: Service, CustomStringConvertible {
    /// Interval of housekeeping.
    static let interval = Duration.seconds(30)
    /// Interval for comparing copies with a store that other daemons may change; none is used for longer than 5 s.
    static let comparison = Duration.seconds(2)
    /// Interval for asking whether writes have gone quiet: after two of them the logs are empty.
    static let settling = Duration.seconds(1)
    /// Interval for looking for the files of the sockets.
    static let files = Duration.seconds(2)

    /// The name in the log; without one, the whole value is printed at every start.
    let description = "housekeeping"
    private let interval: Duration
    private let work: @Sendable () async -> Void

    init(every interval: Duration = Housekeeping.interval, _ work: @escaping @Sendable () async -> Void) {
        self.interval = interval
        self.work = work
    }

    func run() async throws {
        await cancelWhenGracefulShutdown {
            while !Task.isCancelled {
                try? await Task.sleep(for: interval)
                if !Task.isCancelled { await work() }
            }
        }
    }
}
