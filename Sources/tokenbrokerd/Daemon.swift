import Authority
import AuthorityStore
import AuthorityWeb
import Broker
import BrokerRPC
import FlowModel
import Flows
import Foundation
import Glibc
import HTTPServer
import Logging
import Moments
import NIOCore
import NIOPosix
import ProgramConfiguration
import ServiceHost
import ServiceLifecycle
import Systemd

/// The daemon's doors, opened and served until the end.
struct Daemon {
    let wiring: Wiring
    let clock: MomentClock
    let stores: Stores
    let mails: MailDispatcher
    let authority: Authority
    let broker: Broker

    /// Threads of the HTTP server and of the broker's socket: one each.
    private static let threads = 2

    func run() async throws {
        let logger = wiring.log.logger("tokenbrokerd")
        let group = MultiThreadedEventLoopGroup(numberOfThreads: Self.threads)
        do {
            try await authority.start()
            // Sign-outs that a kill interrupted are finished before anybody is answered.
            try await broker.start()
        } catch let refusal as Refusal {
            throw StartFailure(refusal)
        }
        let inherited = InheritedSocket.take()
        let web = try web(inherited, group)
        let measurements = try measurements(group)
        let socket = try await brokerSocket(inherited, group)
        let host = ServiceHost(notifier: ServiceNotifier(), logger: logger, reload: reload)
        let housekeeping = Housekeeping { [broker] in await broker.housekeeping() }
        let comparison = Housekeeping(every: Housekeeping.comparison) { [broker] in await broker.refresh() }
        defer { withExtendedLifetime(stores) {} }
        try await host.run([MailService(dispatcher: mails), housekeeping, comparison] + measurements + [web, socket]) {}
        try await group.shutdownGracefully()
    }

    private func reload() throws {
        let settings = try wiring.source.load()
        let old = wiring.current.value.configuration
        if let key = settings.configuration.restartNeeded(from: old) {
            throw StartFailure("`\(key)` has changed, which needs a restart")
        }
        wiring.current.replace(by: settings)
        wiring.log.change(format: settings.logFormat, level: settings.logLevel)
        broker.configurationChanged()
    }

    private func web(_ inherited: [InheritedSocket], _ group: any EventLoopGroup) throws(StartFailure) -> HTTPService {
        let server = wiring.current.value.configuration.server
        let sockets = try listeners(inherited, server)
        let logger = wiring.log.logger("http")
        let documents = AuthorityDocuments(
            metadata: { [authority] in authority.metadata(policy: $0) },
            keys: { [authority] in try await authority.jwks() }
        )
        let routes = AuthorityRoutes(
            base: wiring.current.value.configuration.issuerBase,
            tenant: wiring.current.value.configuration.tenant,
            documents: documents,
            health: health
        )
        return HTTPService(
            sockets: sockets,
            pipeline: routes.pipeline(
                hosts: .base(wiring.current.value.configuration.issuerBase),
                metrics: wiring.metrics,
                logger: logger
            ),
            tls: server.tls.map { TLSFiles(certificate: $0.certificate, privateKeyFile: $0.privateKeyFile) },
            group: group,
            logger: logger
        )
    }

    private var health: Health { Health(checks: [storeCheck], metrics: wiring.metrics) }

    /// The listener that `metrics.listen` names, which shows nothing but measurements, to whoever reaches it.
    private func measurements(_ group: any EventLoopGroup) throws(StartFailure) -> [any Service] {
        guard let endpoint = wiring.current.value.configuration.server.metricsListen else { return [] }
        let logger = wiring.log.logger("metrics")
        let all = Health(checks: [storeCheck], metrics: wiring.metrics, showsMetricsToAll: true)
        do {
            let sockets = try ListeningSocket.open([.tcp(host: endpoint.host, port: endpoint.port)])
            let pipeline = HTTPPipeline(router: all.router(), hosts: .any, errors: .oauth, logger: logger)
            return [HTTPService(sockets: sockets, pipeline: pipeline, group: group, logger: logger)]
        } catch {
            throw StartFailure("\(error)")
        }
    }

    private var storeCheck: Health.Check {
        Health.Check("store") { [stores] in
            do {
                _ = try await stores.authority.epoch()
                return nil
            } catch {
                return "the authority's database does not answer"
            }
        }
    }

    private func listeners(
        _ inherited: [InheritedSocket],
        _ server: ServerSettings
    ) throws(StartFailure) -> [ListeningSocket] {
        let path = Places.authoritySocket(beside: wiring.socket)
        try makeSocketFolder(of: path)
        do {
            let http = inherited.filter { $0.name == "http" }
            let door = inherited.filter { $0.name == "authority" }
            var sockets: [ListeningSocket] = []
            for socket in http + door { sockets.append(try ListeningSocket(inherited: socket.descriptor)) }
            var own: [ListenAddress] = []
            if http.isEmpty { own += server.listen.map { .tcp(host: $0.host, port: $0.port) } }
            if door.isEmpty { own.append(.unix(path: path, mode: wiring.places.socketMode)) }
            return sockets + (try ListeningSocket.open(own))
        } catch {
            throw StartFailure("\(error)")
        }
    }

    /// Makes the folder of the sockets where nobody has; what it lies in must be there.
    private func makeSocketFolder(of path: String) throws(StartFailure) {
        let folder = (path as NSString).deletingLastPathComponent
        let mode: mode_t = wiring.places.isService ? 0o755 : 0o700
        // The second call is for a umask that takes more than is meant.
        if mkdir(folder, mode) == 0, chmod(folder, mode) == 0 { return }
        guard errno != EEXIST else { return }
        throw StartFailure("the folder \(folder) of the sockets cannot be made: \(String(cString: strerror(errno)))")
    }

    private func brokerSocket(
        _ inherited: [InheritedSocket],
        _ group: any EventLoopGroup
    ) async throws -> BrokerSocket {
        let configured = wiring.current.value.configuration.limits
        var limits = SocketLimits()
        limits.connectionsPerUID = configured.connectionsPerUid
        limits.requestsPerSecondPerUID = configured.requestsPerSecondPerUid
        let handed = inherited.filter { $0.name == "broker" }.map(SocketEndpoint.inherited)
        let own = SocketEndpoint.path(wiring.socket, mode: wiring.places.socketMode)
        do {
            return try await BrokerSocket.open(
                handed.isEmpty ? [own] : handed,
                broker: broker,
                limits: limits,
                clock: clock,
                logger: wiring.log.logger("socket"),
                group: group
            )
        } catch let error as EndpointError {
            throw StartFailure(error.description)
        }
    }
}
