import BrokerRPC
import HTTPServer
import Logging
import ServiceHost

/// The daemon's periodic work.
enum Housekeeping {
    /// How often expired data is deleted, keys are rotated, retention is applied, and unfinished sign-outs are
    /// continued.
    static let interval = Duration.seconds(30)
    /// How often to check whether another daemon has changed the store.
    ///
    /// Changes by another daemon must take effect within 5 s.
    static let comparison = Duration.seconds(2)
    /// How often to check whether writing has stopped.
    ///
    /// If nothing was written between two checks, the write-ahead logs are emptied.
    static let settling = Duration.seconds(1)
    /// How often to look for tokens to renew in the background.
    ///
    /// The interval is short enough for tokens that are valid for only a few seconds.
    static let renewals = Duration.seconds(5)
    /// How often to check whether the socket files still exist.
    static let files = Duration.seconds(2)

    /// Replaces sockets whose files were removed, except sockets that the service manager opened.
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
                logger.warning("socket files were removed; sockets recreated")
            } catch {
                logger.error("sockets cannot be recreated", metadata: ["error": "\(error)"])
            }
        }
    }
}
