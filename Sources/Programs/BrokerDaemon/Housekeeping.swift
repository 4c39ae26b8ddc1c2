import BrokerRPC
import HTTPServer
import Logging
import ServiceHost

enum Housekeeping {
    /// How often to delete expired data, rotate keys, apply retention, and continue unfinished sign-outs.
    static let interval = Duration.seconds(30)
    /// How often to look for changes by another daemon, which must take effect within 5 s.
    static let comparison = Duration.seconds(2)
    /// How often to check whether writing has stopped, so that the write-ahead logs can be emptied.
    static let settling = Duration.seconds(1)
    /// How often to look for tokens to renew, some of which are valid for only a few seconds.
    static let renewals = Duration.seconds(5)
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
