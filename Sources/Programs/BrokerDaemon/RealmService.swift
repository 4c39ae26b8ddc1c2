import CustomIdentity
import ServiceLifecycle

/// A service that closes the connections to custom identity providers and connectors when the daemon ends.
struct RealmService: Service, CustomStringConvertible {
    /// The name in the log.
    let description = "realms"
    let calls: OutsideCalls

    func run() async throws {
        try? await gracefulShutdown()
        try await calls.shutdown()
    }
}
