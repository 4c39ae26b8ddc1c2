import BrokerRPC
import HTTPServer
import Logging
import ServiceHost

/// The work that is due from time to time.
enum Housekeeping {
    /// Interval of housekeeping: expiry, the keys' schedule, retention, unfinished sign-outs.
    static let interval = Duration.seconds(30)
    /// Interval for comparing copies with a store that other daemons may change; none is used for longer than 5 s.
    static let comparison = Duration.seconds(2)
    /// Interval for asking whether writes have gone quiet: after two of them the logs are empty.
    static let settling = Duration.seconds(1)
    /// Interval of renewals that nobody waits for; tokens that live for some seconds are renewed in time, too.
    static let renewals = Duration.seconds(5)
    /// Interval for looking for the files of the sockets.
    static let files = Duration.seconds(2)

    /// Replaces sockets whose files were removed, except those of the service manager.
    static func socketFiles(
        _ sockets: DaemonSockets,
        broker: BrokerSocket,
        authority: HTTPService,
        logger: Logger
    ) async {
        await BackgroundService.repeating(every: files) {
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
