import BrokerRPC
import HTTPServer
import Logging

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
