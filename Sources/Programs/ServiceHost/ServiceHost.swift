public import Logging
import Metrics
import Moments
public import ServiceLifecycle
public import Systemd
import UnixSignals

/// Runs a daemon's services until somebody asks for the end, and tells the service manager how it fares.
///
/// SIGTERM and SIGINT end it: nothing new is accepted, what is under way is finished, within ``shutdownDeadline``.
/// SIGHUP reads the configuration again.
public struct ServiceHost: Sendable {
    /// Time for work under way after the end was asked for; less than the service manager waits.
    public static let shutdownDeadline = Duration.seconds(10)

    fileprivate let notifier: ServiceNotifier
    fileprivate let logger: Logger
    fileprivate let reload: @Sendable () async throws -> Void
    fileprivate let answers: @Sendable () async -> Void

    /// A host.
    ///
    /// - Parameters:
    ///   - notifier: Tells the service manager.
    ///   - logger: Says what happens.
    ///   - answers: Returns when all that callers wait for has moved once: the event loops, the stores. As long as it
    ///     does not, the service manager's watchdog is not told that all is well, and ends the process.
    ///   - reload: Reads the configuration again; what it throws is logged and leaves the old one in force. Both outcomes
    ///     are counted.
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

    /// Runs `services` to their end.
    ///
    /// - Parameters:
    ///   - services: Ended in the reverse order.
    ///   - isReady: Returns when all of them answer; the service manager is told then.
    /// - Throws: What ended the first service that ended by itself.
    public func run(_ services: [any Service], isReady: @escaping @Sendable () async throws -> Void) async throws {
        var configuration = ServiceGroupConfiguration(
            services: (services + [Caretaker(host: self, isReady: isReady)]).map {
                .init(service: $0, successTerminationBehavior: .gracefullyShutdownGroup)
            },
            gracefulShutdownSignals: [.sigterm, .sigint],
            // The group would print whole services; what matters of them is logged here and by themselves.
            logger: Logger(label: "services") { _ in SwiftLogNoOpLogHandler() }
        )
        configuration.maximumGracefulShutdownDuration = Self.shutdownDeadline
        try await ServiceGroup(configuration: configuration).run()
    }
}

/// Speaks with the service manager while the other services work.
private struct Caretaker: Service, CustomStringConvertible {
    let description = "caretaker"
    let host: ServiceHost
    let isReady: @Sendable () async throws -> Void

    func run() async throws {
        // From here on SIGHUP is ours; before, it would end the process.
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
                host.logger.info("configuration read again")
            } catch {
                Counter(label: "configuration_reloads", dimensions: [("outcome", "refused")]).increment()
                host.logger.error("configuration not taken, the old one stays in force", metadata: ["why": "\(error)"])
            }
            host.notifier.ready()
        }
    }

    /// Ends only by cancellation, so that the group above ends with the signals.
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
