import Deliveries
import ServiceLifecycle

/// A service that tells clients of sign-outs while the daemon runs; what waits at its end is told after the next start.
struct LogoutService: Service, CustomStringConvertible {
    /// The name in the log.
    let description = "sign-outs"
    let dispatcher: LogoutDispatcher

    func run() async throws {
        await cancelWhenGracefulShutdown { await dispatcher.run() }
    }
}
