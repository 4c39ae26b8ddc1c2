import Glibc
import HTTPServer
import Logging
import Metrics
import Moments
import ProgramConfiguration
import RemoteKeys
import StrictYAML
import Synchronization
import Systemd
import Tables
import TablesServer
import TablesStore

/// The parts of the daemon that a reload replaces while requests are being handled.
final class LiveParts: Sendable {
    struct Fixed: Sendable {
        let metrics: PrometheusRegistry
        let fetcher: KeyFetcher
        let hooks: HookClient
        let signIns: AuthorityConnection
        let ended = EndedTokens()
        let clock: MomentClock
        let addresses: [ListenAddress]
        let peers: PeerLookUp
        let log: ServiceLog
        let requests: RequestLog
        let logger: Logger
    }

    private struct State {
        var configuration: TasksdConfiguration
        var store: TablesStore
        var pipeline: HTTPPipeline
    }

    private let fixed: Fixed
    private let state: Mutex<State>

    init(_ configuration: TasksdConfiguration, store: TablesStore, _ fixed: Fixed) {
        self.fixed = fixed
        let pipeline = Self.pipeline(configuration, store, fixed)
        state = Mutex(State(configuration: configuration, store: store, pipeline: pipeline))
    }

    var pipeline: HTTPPipeline { state.withLock { $0.pipeline } }

    var store: TablesStore { state.withLock { $0.store } }

    var metricsPipeline: HTTPPipeline {
        let router = Self.health(store, fixed, .everyCaller).router()
        return HTTPPipeline(
            router: router,
            hosts: .any,
            errors: .tables,
            requests: fixed.requests,
            logger: fixed.logger
        )
    }

    /// Reads the configuration and the certificate again, and applies them, or throws and keeps the old configuration.
    func reload(_ files: ConfigurationSource, _ listener: HTTPService) async throws {
        let (read, problems) = files.read()
        for problem in problems where problem.severity == .warning {
            fixed.logger.warning("configuration", metadata: ["problem": "\(problem)"])
        }
        guard let configuration = read else {
            let errors = problems.filter { $0.severity == .error }
            throw StartFailure(.configuration, errors.map(\.description).joined(separator: "; "))
        }
        try listener.renewCertificate()
        let store = try await store.adopting(configuration.tables, limits: configuration.limits)
        try await Seeding(store: store, clock: fixed.clock).plant(configuration, logger: fixed.logger)
        let pipeline = Self.pipeline(configuration, store, fixed)
        let old = state.withLock { state in
            defer { state = State(configuration: configuration, store: store, pipeline: pipeline) }
            return state.configuration
        }
        fixed.log.change(format: configuration.server.logFormat, level: configuration.server.logLevel)
        if old.trustedLoopback != configuration.trustedLoopback {
            fixed.logger.warning("the change of `outgoing` takes effect after a restart")
        }
        let (before, after) = (old.server, configuration.server)
        if before.listen != after.listen || before.tls != after.tls || before.metricsListen != after.metricsListen {
            fixed.logger.warning("changes of listeners and certificate paths take effect after a restart")
        }
    }

    private static func pipeline(
        _ configuration: TasksdConfiguration,
        _ store: TablesStore,
        _ fixed: Fixed
    ) -> HTTPPipeline {
        let server = configuration.server
        let isSecure = server.tls != nil || server.behindProxy
        let check = BearerCheck(
            trust: configuration.trust.map(Trust.init),
            keys: AccessKeys(application: configuration.applicationKey, master: configuration.masterKey),
            ended: fixed.ended,
            fetcher: fixed.fetcher,
            clock: fixed.clock
        )
        let api = TablesAPI(
            tables: configuration.tables,
            store: store,
            check: check,
            hooks: fixed.hooks,
            protectedPaths: configuration.protect,
            resource: configuration.resource,
            origin: ServerOrigin(isSecure: isSecure),
            signIn: SignInRoutes(configuration, check, fixed),
            health: health(store, fixed, .init(isBehindProxy: server.behindProxy)),
            clock: fixed.clock
        )
        // The server's public host name is not configured, so requests may contain any host name, except on loopback.
        let isLocal = fixed.addresses.allSatisfy(\.isLoopback) && !server.behindProxy
        return HTTPPipeline(
            router: api.router(),
            hosts: isLocal ? .loopback(fixed.addresses) : .any,
            errors: .tables,
            crossOrigin: CrossOrigin(
                origins: configuration.origins,
                refusingChangesBut: isSecure ? "https" : "http"
            ),
            limits: limits,
            metrics: fixed.metrics,
            requests: fixed.requests,
            logger: fixed.logger
        )
    }

    /// The limits of the HTTP server, which accepts bodies of 7 MiB with the longest row in JSON.
    ///
    /// A client can escape each character that is not ASCII, which triples its length at most: `ä` becomes `\u00e4`.
    private static let limits: HTTPLimits = {
        var limits = HTTPLimits()
        limits.body = 3 * TablesStore.maxRowLength + 1024 * 1024
        return limits
    }()

    private static func health(
        _ store: TablesStore,
        _ fixed: Fixed,
        _ audience: Health.MetricsAudience
    ) -> Health {
        let database = Health.Check("database") { await store.isWell() ? nil : "does not respond" }
        return Health(
            checks: [database, fixed.peers.check],
            metrics: fixed.metrics,
            measure: {
                await store.measure()
                let (running, waiting) = store.longQueries
                Gauge(label: "tables_long_queries", dimensions: [("state", "running")]).record(running)
                Gauge(label: "tables_long_queries", dimensions: [("state", "waiting")]).record(waiting)
                ProcessMeasures.take()
                Gauge(label: "tasksd_build_info", dimensions: [("version", Version.text)]).record(1)
            },
            audience: audience
        )
    }
}

extension SignInRoutes {
    /// Creates the sign-in routes, or returns `nil` if sign-in or a trusted authority is not configured.
    ///
    /// Users sign in with the first trusted authority.
    fileprivate init?(_ configuration: TasksdConfiguration, _ check: BearerCheck, _ fixed: LiveParts.Fixed) {
        guard let signIn = configuration.signIn, let trust = configuration.trust.first.map(Trust.init) else {
            return nil
        }
        let server = configuration.server
        self.init(
            settings: SignInSettings(
                client: signIn.client,
                secret: signIn.secret,
                origins: signIn.origins,
                pages: configuration.origins,
                scopes: configuration.scopesOfTables,
                isSecure: server.tls != nil || server.behindProxy
            ),
            line: fixed.signIns,
            issuers: SignInIssuers(source: trust.source, policies: trust.policies, fetcher: fixed.fetcher),
            scopes: IssuerScopes(source: trust.source, fetcher: fixed.fetcher, clock: fixed.clock),
            identify: { token, context in try await check.user(of: token, context) }
        )
    }
}

extension TasksdConfiguration {
    fileprivate var scopesOfTables: [String] {
        Set(tables.flatMap { table in TableDeclaration.Verb.allCases.compactMap { table.scope($0) } }).sorted()
    }
}

extension Trust {
    init(_ configured: TasksdConfiguration.Trust) {
        let name = AuthorityName(base: configured.base, tenant: configured.tenant)
        switch configured.source {
        case .socket(let path): self.init(name, at: .unixSocket(path: path), audiences: configured.audiences)
        case .url(let url): self.init(name, at: .web(origin: url), audiences: configured.audiences)
        case .followed(let sockets):
            self.init(following: sockets.map(LocalSocket.init), realm: name, audiences: configured.audiences)
        }
        policies = configured.policies.map { $0.map { "\($0)" } }
        requiresScopes = configured.requiresScopes
    }
}

extension LocalSocket {
    /// Creates a socket whose listener must run as this user, as root or, with `trustsFolder`, as the folder's owner.
    fileprivate init(_ socket: AuthoritySocket) {
        self.init(path: socket.path, uids: [geteuid()], trustsFolder: socket.trustsFolder)
    }
}
