public import Logging
import Metrics
import Moments
public import ServiceLifecycle
public import Systemd
import UnixSignals

/// Runs a daemon's services until a signal requests shutdown, and reports the daemon's state to the service manager.
///
/// On SIGTERM and SIGINT, the daemon accepts no new work and finishes running work within ``shutdownDeadline``. SIGHUP
/// reloads the configuration.
public struct ServiceHost: Sendable {
    /// The time that running work may take after a shutdown request, which is less than the service manager's timeout.
    public static let shutdownDeadline = Duration.seconds(10)

    fileprivate let notifier: ServiceNotifier
    fileprivate let logger: Logger
    fileprivate let reload: @Sendable () async throws -> Void
    fileprivate let answers: @Sendable () async -> Void

    /// Creates a host.
    ///
    /// - Parameters:
    ///   - notifier: Sends the daemon's state to the service manager.
    ///   - logger: Logs readiness and reloads.
    ///   - answers: Returns when the event loops and the stores have responded. If the closure does not return, the
    ///     watchdog ends the process.
    ///   - reload: Reloads the configuration. If the closure throws, the previous configuration stays in effect.
    public init(
        notifier: ServiceNotifier,
        logger: Logger,
        answers: @escaping @Sendable () async -> Void,
        reload: @escaping @Sendable () async throws -> Void
    ) {
        self.notifier = notifier
        self.logger = logger
        self.answers = answers
        self.reload = reload
    }

    /// Runs the services until they end, and notifies the service manager when `isReady` returns.
    ///
    /// - Throws: The error of the first service that failed.
    public func run(_ services: [any Service], isReady: @escaping @Sendable () async throws -> Void) async throws {
        var configuration = ServiceGroupConfiguration(
            services: (services + [Caretaker(host: self, isReady: isReady)]).map {
                .init(service: $0, successTerminationBehavior: .gracefullyShutdownGroup)
            },
            gracefulShutdownSignals: [.sigterm, .sigint],
            // This logger discards messages, because the service group would log a dump of each service.
            logger: Logger(label: "services") { _ in SwiftLogNoOpLogHandler() }
        )
        configuration.maximumGracefulShutdownDuration = Self.shutdownDeadline
        try await ServiceGroup(configuration: configuration).run()
    }
}

/// Exchanges messages with the service manager.
private struct Caretaker: Service, CustomStringConvertible {
    let description = "caretaker"
    let host: ServiceHost
    let isReady: @Sendable () async throws -> Void

    func run() async throws {
        // Before this line, SIGHUP ends the process. After this line, SIGHUP causes a reload.
        let hangups = await UnixSignalsSequence(trapping: .sighup)
        try await isReady()
        host.notifier.ready()
        host.logger.info("ready")
        await withTaskGroup { group in
            group.addTask { await reloads(hangups) }
            group.addTask { await watchdog() }
            await group.next()
            group.cancelAll()
        }
        host.notifier.stopping()
    }

    private func reloads(_ hangups: UnixSignalsSequence) async {
        for await _ in hangups.cancelOnGracefulShutdown() {
            host.notifier.reloading(at: MomentClock.system.now)
            do {
                try await host.reload()
                Counter(label: "configuration_reloads", dimensions: [("outcome", "taken")]).increment()
                host.logger.info("configuration reloaded")
            } catch {
                Counter(label: "configuration_reloads", dimensions: [("outcome", "refused")]).increment()
                host.logger.error(
                    "configuration not reloaded; the previous one stays in force",
                    metadata: ["why": "\(error)"]
                )
            }
            host.notifier.ready()
        }
    }

    /// Sends watchdog messages until cancelled, because an earlier return would shut down the service group.
    private func watchdog() async {
        let interval = host.notifier.watchdogInterval ?? .seconds(3600)
        while !Task.isCancelled {
            if host.notifier.watchdogInterval != nil {
                await host.answers()
                host.notifier.aliveAndWell()
            }
            try? await Task.sleep(for: interval)
        }
    }
}
