import Foundation
import HTTPServer
import Logging
import Metrics
import Moments
import NIOPosix
import ProgramConfiguration
import RemoteKeys
import ServiceHost
import ServiceLifecycle
import Storage
import StrictYAML
import Synchronization
import Systemd
import TablesServer
import TablesStore

struct Wiring {
    let configuration: TasksdConfiguration
    let warnings: [Problem]
    let directory: StateDirectory
    let files: ConfigurationSource

    /// Runs the daemon until shutdown, or throws an error before the first request.
    func run() async throws {
        let server = configuration.server
        let log = ServiceLog(
            format: server.logFormat,
            level: server.logLevel,
            isJournal: ServiceLog.isErrorJournal
        )
        let logger = log.logger("tasksd")
        for warning in warnings { logger.warning("configuration", metadata: ["problem": "\(warning)"]) }
        ProxyVariables.log(to: logger, in: ProcessInfo.processInfo.environment)
        let sockets = try Self.sockets(server, logger)
        let metricsSockets = try server.metricsListen.map { [try ListeningSocket($0.address)] } ?? []
        let lock = try LockFile(TablesStore.lockName, in: directory)
        defer { withExtendedLifetime(lock) {} }
        let tls = try Self.certificate(server.tls, directory, logger)
        let clock = MomentClock.system
        let metrics = PrometheusRegistry()
        MetricsSystem.bootstrap(metrics)
        let store = try await TablesStore.open(
            in: directory,
            definitions: configuration.tables,
            limits: configuration.limits,
            clock: clock
        )
        try await Seeding(store: store, clock: clock).plant(configuration, logger: logger)
        let parts = LiveParts.Fixed(
            metrics: metrics,
            fetcher: KeyFetcher(trustedLoopback: configuration.trustedLoopback),
            hooks: HookClient(),
            signIns: AuthorityConnection(clock: clock),
            clock: clock,
            addresses: sockets.map(\.address),
            peers: PeerLookUp(sockets, logger: logger),
            log: log,
            requests: RequestLog(logger: logger),
            logger: logger
        )
        let live = LiveParts(configuration, store: store, parts)
        let group = MultiThreadedEventLoopGroup.singleton
        let answers = AnswerBudget(logger: logger)
        let listener = HTTPService(
            sockets: sockets,
            pipeline: { live.pipeline },
            tls: tls,
            errors: .tables,
            answers: answers,
            requests: parts.requests,
            group: group,
            logger: logger
        )
        var services: [any Service] = [
            // Services end in reverse order, so this service, which closes what the other services use, ends last.
            BackgroundService("closing") {
                try? await gracefulShutdown()
                try await parts.fetcher.shutdown()
                try await parts.hooks.shutdown()
                try await parts.signIns.shutdown()
                store.close()
            },
            BackgroundService("purge") {
                await BackgroundService.repeating(every: .seconds(3600), after: .zero) {
                    await Self.purge(live.store, logger)
                }
            },
            BackgroundService("settling") {
                await BackgroundService.repeating(every: .seconds(1)) { await live.store.settle() }
            },
            // malloc keeps the memory that large responses used, so this service returns it to the system.
            BackgroundService("memory") {
                let watch = Mutex(MemoryWatch(growth: 16 << 20))
                await BackgroundService.repeating(every: .seconds(5)) { _ = watch.withLock { $0.look() } }
            },
            listener,
        ]
        if !metricsSockets.isEmpty {
            let pipeline = live.metricsPipeline
            services.append(
                HTTPService(
                    sockets: metricsSockets,
                    pipeline: { pipeline },
                    answers: answers,
                    requests: parts.requests,
                    group: group,
                    logger: logger
                )
            )
        }
        let host = ServiceHost(
            notifier: ServiceNotifier(),
            logger: logger,
            answers: {
                await group.haveTurned()
                _ = await live.store.isWell()
            },
            reload: { [files] in try await live.reload(files, listener) }
        )
        // The sockets are already listening, so the daemon is ready before the event loops run.
        try await host.run(services) {}
    }

    private static func purge(_ store: TablesStore, _ logger: Logger) async {
        do {
            let count = try await store.purge()
            Counter(label: "tables_traces_forgotten").increment(by: count)
            if count > 0 {
                logger.info("traces of deleted rows removed", metadata: ["count": "\(count)"])
            }
        } catch {
            logger.error(
                "traces of deleted rows could not be removed",
                metadata: ["error": "\(error)"]
            )
        }
    }

    /// Returns the usable certificate files for `tls`, creating or renewing the localhost certificate if necessary.
    private static func certificate(
        _ tls: ServerSettings.TLS?,
        _ directory: StateDirectory,
        _ logger: Logger
    ) throws -> TLSFiles? {
        switch tls {
        case nil: return nil
        case .files(let certificate, let key):
            let files = TLSFiles(certificate: certificate, privateKeyFile: key)
            try files.check()
            return files
        case .localCA:
            let made = try LocalhostCertificate(in: directory, now: Date())
            made.log(to: logger)
            return TLSFiles(certificate: made.file, privateKeyFile: made.file)
        }
    }

    private static func sockets(_ server: ServerSettings, _ logger: Logger) throws -> [ListeningSocket] {
        let inherited = InheritedSocket.take()
        guard inherited.isEmpty else { return try inherited.map { try ListeningSocket(inherited: $0.descriptor) } }
        return try ListeningSocket.open(server.available(logger).map(\.address))
    }
}

extension ListenEndpoint {
    var address: ListenAddress { .tcp(host: host, port: port) }
}
