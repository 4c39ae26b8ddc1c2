import RemoteKeys
import ServiceLifecycle
import TablesServer
import TablesStore

/// Closes what the others use when they have ended; it stands first, and services end in the reverse order.
struct ClosingService: Service, CustomStringConvertible {
    let fetcher: KeyFetcher
    let hooks: HookClient
    let signIns: AuthorityConnection
    let store: TablesStore

    var description: String { "closing" }

    func run() async throws {
        try? await gracefulShutdown()
        try await fetcher.shutdown()
        try await hooks.shutdown()
        try await signIns.shutdown()
        store.close()
    }
}
