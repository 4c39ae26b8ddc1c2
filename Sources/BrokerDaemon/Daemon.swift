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
import Metrics
import Moments
import NIOCore
import NIOPosix
import ProgramConfiguration
import ServiceHost
import ServiceLifecycle
import Systemd

/// The running daemon: its listeners open while its parts are still assembled, and are served until the end.
///
/// Early requests wait: nothing is answered before the stores are open, their keys are proven, and the work that a kill
/// interrupted is finished.
struct Daemon {
    /// The number of threads: one for the HTTP server and one for the broker's socket.
    static let threads = 2

    private let wiring: Wiring
    private let group: any EventLoopGroup
    /// The sockets that the service manager opened.
    private let inherited: [InheritedSocket]
    private let parts: Task<Parts, any Error>

    /// Begins to assemble the parts.
    init(wiring: Wiring, group: any EventLoopGroup) {
        self.wiring = wiring
        self.group = group
        var inherited = InheritedSocket.take()
        let kept = DescriptorStore.take(KeptVaultKeys.prefix, from: &inherited)
        self.inherited = inherited
        parts = Task {
            let keys = KeptVaultKeys(kept, logger: wiring.log.logger("locks"))
            let parts = try await wiring.parts(keys)
            do {
                try await parts.authority.start()
                // Sign-outs that a kill interrupted are finished before anybody is answered.
                try await parts.broker.start()
                keys.takenBack(by: parts.broker)
            } catch let refusal as Refusal {
                throw StartFailure(refusal)
            }
            return parts
        }
    }

    func run() async throws {
        let web: [any Service]
        let door: HTTPService
        do {
            door = try self.web()
            web = try measurements() + [door]
        } catch {
            // A second daemon finds listeners and stores taken; the parts' error says that it is the second one.
            _ = try await parts.value
            throw error
        }
        let socket = Task { [self, parts] in try await brokerSocket(try await parts.value) }
        let host = ServiceHost(
            notifier: ServiceNotifier(),
            logger: wiring.log.logger("tokenbrokerd"),
            answers: { [group, parts] in
                await group.haveTurned()
                _ = try? await parts.value.stores.authority.epoch()
            },
            reload: reload
        )
        defer { withExtendedLifetime(parts) {} }
        let doors: [any Service] = [
            WaitingService("broker socket") { try await socket.value },
            WaitingService("files of sockets") { try await filesOfSockets(socket.value, door) },
        ]
        try await host.run(work + web + doors) {
            _ = try await socket.value
        }
        try await group.shutdownGracefully()
    }

    /// The background services.
    private var work: [any Service] {
        let parts = parts
        return [
            WaitingService("mail") { MailService(dispatcher: try await parts.value.mails) },
            WaitingService("housekeeping") {
                let broker = try await parts.value.broker
                return Housekeeping { await broker.housekeeping() }
            },
            WaitingService("settling") {
                let stores = try await parts.value.stores
                return Housekeeping(every: Housekeeping.settling) { await stores.settle() }
            },
            WaitingService("comparison") {
                let broker = try await parts.value.broker
                return Housekeeping(every: Housekeeping.comparison) { await broker.refresh() }
            },
        ]
    }

    /// Makes the service that replaces sockets whose files were removed, except those of the service manager.
    private func filesOfSockets(_ socket: BrokerSocket, _ door: HTTPService) -> Housekeeping {
        let logger = wiring.log.logger("tokenbrokerd")
        return Housekeeping(every: Housekeeping.files) {
            guard socket.isGone || door.isGone else { return }
            do {
                try makeSocketFolder(of: wiring.socket)
                try await socket.restore()
                try await door.restore()
                logger.warning("sockets made anew, their files were gone")
            } catch {
                logger.error("sockets cannot be made anew", metadata: ["error": "\(error)"])
            }
        }
    }

    private func reload() async throws {
        do {
            try await readAgain()
            Counter(label: "configuration_reloads", dimensions: [("outcome", "taken")]).increment()
        } catch {
            Counter(label: "configuration_reloads", dimensions: [("outcome", "refused")]).increment()
            throw error
        }
    }

    private func readAgain() async throws {
        let broker = try await parts.value.broker
        let settings = try wiring.source.load()
        let old = wiring.current.value.configuration
        if let key = settings.configuration.restartNeeded(from: old) {
            throw StartFailure("`\(key)` has changed, which needs a restart")
        }
        wiring.current.replace(by: settings)
        wiring.log.change(format: settings.logFormat, level: settings.logLevel)
        broker.changed()
    }

    private func web() throws(StartFailure) -> HTTPService {
        let configured = wiring.current.value.configuration
        let server = configured.server
        let logger = wiring.log.logger("http")
        var limits = HTTPLimits()
        limits.connectionsPerUID = configured.limits.connectionsPerUid
        return HTTPService(
            sockets: try listeners(server),
            pipeline: whenReady { [wiring] parts in
                let configuration = wiring.current.value.configuration
                let routes = AuthorityRoutes(
                    base: configuration.issuerBase,
                    tenant: configuration.tenant,
                    documents: AuthorityDocuments(
                        metadata: { parts.authority.metadata(policy: $0) },
                        keys: { try await parts.authority.jwks() }
                    ),
                    health: Health(
                        checks: [parts.stores.check],
                        metrics: wiring.metrics,
                        measure: parts.measures.take
                    )
                )
                return routes.pipeline(
                    hosts: .base(configuration.issuerBase),
                    metrics: wiring.metrics,
                    logger: logger
                )
            },
            tls: server.tls.map { TLSFiles(certificate: $0.certificate, privateKeyFile: $0.privateKeyFile) },
            limits: limits,
            group: group,
            logger: logger
        )
    }

    /// The listener that `metrics.listen` names, which shows nothing but measurements, to whoever reaches it.
    private func measurements() throws(StartFailure) -> [any Service] {
        guard let endpoint = wiring.current.value.configuration.server.metricsListen else { return [] }
        let logger = wiring.log.logger("metrics")
        do {
            let sockets = try ListeningSocket.open([.tcp(host: endpoint.host, port: endpoint.port)])
            let pipeline = whenReady { [wiring] parts in
                let all = Health(
                    checks: [parts.stores.check],
                    metrics: wiring.metrics,
                    measure: parts.measures.take,
                    showsMetricsToAll: true
                )
                return HTTPPipeline(router: all.router(), hosts: .any, errors: .oauth, logger: logger)
            }
            return [HTTPService(sockets: sockets, pipeline: pipeline, group: group, logger: logger)]
        } catch {
            throw StartFailure("\(error)")
        }
    }

    /// A pipeline of the parts, which requests wait for.
    private func whenReady(
        _ pipeline: @escaping @Sendable (Parts) -> HTTPPipeline
    ) -> @Sendable () async throws -> HTTPPipeline {
        let made = Task { [parts] in pipeline(try await parts.value) }
        return { try await made.value }
    }

    private func listeners(_ server: ServerSettings) throws(StartFailure) -> [ListeningSocket] {
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

    private func brokerSocket(_ parts: Parts) async throws -> BrokerSocket {
        let configured = wiring.current.value.configuration.limits
        var limits = SocketLimits()
        limits.connectionsPerUID = configured.connectionsPerUid
        limits.requestsPerSecondPerUID = configured.requestsPerSecondPerUid
        let handed = inherited.filter { $0.name == "broker" }.map(SocketEndpoint.inherited)
        let own = SocketEndpoint.path(wiring.socket, mode: wiring.places.socketMode)
        do {
            return try await BrokerSocket.open(
                handed.isEmpty ? [own] : handed,
                broker: parts.broker,
                administration: parts.administration,
                limits: limits,
                clock: parts.clock,
                logger: wiring.log.logger("socket"),
                group: group
            )
        } catch let error as EndpointError {
            throw StartFailure(error.description)
        }
    }
}
