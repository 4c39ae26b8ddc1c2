import AuthorityStore
import BrokerRPC
import Flows
import HTTPServer
import NIOCore
import NIOPosix
import ServiceHost
import ServiceLifecycle
import Systemd

/// Starts, runs and shuts down the parts of the daemon in the required order.
struct Daemon {
    /// The number of event loop threads, which serve the HTTP listeners and the broker socket.
    static let threads = 2

    private let wiring: Wiring
    private let group: any EventLoopGroup
    private let sockets: DaemonSockets
    private let parts: PendingParts

    /// Takes over the sockets and keys from the service manager, and starts creating the daemon's parts.
    init(wiring: Wiring, group: any EventLoopGroup) {
        self.wiring = wiring
        self.group = group
        var inherited = InheritedSocket.take()
        let kept = DescriptorStore.take(KeptVaultKeys.prefix, from: &inherited)
        sockets = DaemonSockets(inherited: inherited, path: wiring.socket, paths: wiring.paths)
        parts = PendingParts(wiring, KeptVaultKeys(kept, logger: wiring.log.logger("locks")), on: group)
    }

    /// Listens while the daemon's parts are created, serves requests until shutdown is requested, and then shuts down.
    func run() async throws {
        let authority: HTTPService
        let metrics: HTTPService?
        do {
            authority = try .authority(wiring, sockets, parts, on: group)
            metrics = try .metrics(wiring, parts, on: group)
        } catch {
            // If another daemon is running, the listeners and the parts fail, but only the error from `parts` names the
            // cause.
            _ = try await parts.value
            throw error
        }
        let broker = Task { [self] in try await BrokerSocket.open(wiring, sockets, try await parts.value, on: group) }
        let logger = wiring.log.logger("tokenbrokerd")
        let host = ServiceHost(
            notifier: ServiceNotifier(),
            logger: logger,
            answers: { [group, parts] in
                await group.haveTurned()
                _ = try? await parts.value.stores.authority.epoch()
            },
            reload: Reload(wiring: wiring, parts: parts, listeners: [authority]).run
        )
        defer { withExtendedLifetime(parts) {} }
        let listeners: [any Service] =
            [metrics, authority].compactMap { $0 } + [
                BackgroundService("broker socket") { try await broker.value.run() },
                BackgroundService("files of sockets") { [sockets] in
                    let opened = try await broker.value
                    await Housekeeping.socketFiles(sockets, broker: opened, authority: authority, logger: logger)
                },
            ]
        try await host.run(parts.backgroundServices + listeners) {
            _ = try await broker.value
        }
        // Breaks the reference cycle between the broker, the flows and this callback, so that the stores are closed.
        try await parts.value.flows.onAccountEdited(nil)
        try await group.shutdownGracefully()
    }
}
