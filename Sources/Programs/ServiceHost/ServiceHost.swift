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
    /// How long running work may continue after shutdown was requested.
    ///
    /// This is shorter than the service manager's timeout.
    public static let shutdownDeadline = Duration.seconds(10)

    fileprivate let notifier: ServiceNotifier
    fileprivate let logger: Logger
    fileprivate let reload: @Sendable () async throws -> Void
    fileprivate let answers: @Sendable () async -> Void

    /// Creates a host.
    ///
    /// - Parameters:
    ///   - notifier: Sends the state to the service manager.
    ///   - logger: Logs reloads and the shutdown.
    ///   - answers: Returns when everything that callers wait for has responded: the event loops and the stores. The
    ///     service manager's watchdog is notified only after this returns. If it never returns, the watchdog ends the
    ///     process.
    ///   - reload: Reloads the configuration. If it throws, the error is logged and the previous configuration stays in
    ///     force. Successes and failures are counted.
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

    /// Runs `services` until they end.
    ///
    /// - Parameters:
    ///   - services: The services. They are shut down in reverse order.
    ///   - isReady: Returns when all services respond. The service manager is then notified that the daemon is ready.
    /// - Throws: The error of the first service that failed.
    public func run(_ services: [any Service], isReady: @escaping @Sendable () async throws -> Void) async throws {
        var configuration = ServiceGroupConfiguration(
            services: (services + [Caretaker(host: self, isReady: isReady)]).map {
                .init(service: $0, successTerminationBehavior: .gracefullyShutdownGroup)
            },
            gracefulShutdownSignals: [.sigterm, .sigint],
            // The service group would log a dump of each service. The host and the services do their own logging.
            logger: Logger(label: "services") { _ in SwiftLogNoOpLogHandler() }
        )
        configuration.maximumGracefulShutdownDuration = Self.shutdownDeadline
        try await ServiceGroup(configuration: configuration).run()
    }
}

/// Exchanges messages with the service manager while the other services run.
private struct Caretaker: Service, CustomStringConvertible {
    let description = "caretaker"
    let host: ServiceHost
    let isReady: @Sendable () async throws -> Void

    func run() async throws {
        // From here on, SIGHUP causes a reload. Before this point, it would end the process.
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

    /// Sends watchdog messages until the task is cancelled.
    ///
    /// This method returns only after a cancellation, so only a signal shuts the group down.
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
