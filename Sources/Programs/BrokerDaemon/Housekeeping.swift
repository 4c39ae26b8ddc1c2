import BrokerRPC
import HTTPServer
import Logging
import ServiceLifecycle

/// A periodic service for the work that is due: expiry, the keys' schedule, retention, unfinished sign-outs.
struct Housekeeping: Service, CustomStringConvertible {
    /// Interval of housekeeping.
    static let interval = Duration.seconds(30)
    /// Interval for comparing copies with a store that other daemons may change; none is used for longer than 5 s.
    static let comparison = Duration.seconds(2)
    /// Interval for asking whether writes have gone quiet: after two of them the logs are empty.
    static let settling = Duration.seconds(1)
    /// Interval of renewals that nobody waits for; tokens that live for some seconds are renewed in time, too.
    static let renewals = Duration.seconds(5)
    /// Interval for looking for the files of the sockets.
    static let files = Duration.seconds(2)

    /// The name in the log; without one, the whole value is printed at every start.
    let description = "housekeeping"
    private let interval: Duration
    /// True if the work is begun anew though the last one has not ended.
    private let overlaps: Bool
    private let work: @Sendable () async -> Void

    init(
        every interval: Duration = Housekeeping.interval,
        overlaps: Bool = false,
        _ work: @escaping @Sendable () async -> Void
    ) {
        self.interval = interval
        self.overlaps = overlaps
        self.work = work
    }

    func run() async throws {
        await cancelWhenGracefulShutdown {
            await withDiscardingTaskGroup { tasks in
                while !Task.isCancelled {
                    try? await Task.sleep(for: interval)
                    guard !Task.isCancelled else { return }
                    if overlaps { tasks.addTask { await work() } } else { await work() }
                }
            }
        }
    }
}

extension Housekeeping {
    /// Makes the service that replaces sockets whose files were removed, except those of the service manager.
    static func socketFiles(
        _ sockets: DaemonSockets,
        broker: BrokerSocket,
        authority: HTTPService,
        logger: Logger
    ) -> Housekeeping {
        Housekeeping(every: files) {
            guard broker.isGone || authority.isGone else { return }
            do {
                try sockets.makeFolder()
                try await broker.restore()
                try await authority.restore()
                logger.warning("sockets made anew, their files were gone")
            } catch {
                logger.error("sockets cannot be made anew", metadata: ["error": "\(error)"])
            }
        }
    }
}
