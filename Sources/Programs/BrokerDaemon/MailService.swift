import Deliveries
import ServiceLifecycle

/// A service that delivers mail while the daemon runs, and before it ends the mails that were acknowledged last.
struct MailService: Service, CustomStringConvertible {
    /// The name in the log.
    let description = "mail"
    let dispatcher: MailDispatcher

    func run() async throws {
        await cancelWhenGracefulShutdown { await dispatcher.run() }
        await dispatcher.deliverLast()
    }
}
