import OpenIDClient
import ServiceLifecycle

/// A service that closes the connections to providers outside when the daemon ends.
struct ProviderService: Service, CustomStringConvertible {
    /// The name in the log.
    let description = "providers"
    let client: OpenIDClient

    func run() async throws {
        try? await gracefulShutdown()
        try await client.shutdown()
    }
}
