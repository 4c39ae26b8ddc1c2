import CustomIdentity
import ServiceLifecycle

/// A service that closes the connections to custom identity providers when the daemon ends.
struct RealmService: Service, CustomStringConvertible {
    /// The name in the log.
    let description = "realms"
    let client: RealmClient

    func run() async throws {
        try? await gracefulShutdown()
        try await client.shutdown()
    }
}
