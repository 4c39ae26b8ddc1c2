import Authority
import AuthorityWeb
import Broker
import HTTPServer
import NIOCore
import Policies
import ProgramConfiguration
import Systemd

extension HTTPService {
    /// Opens the authority's listeners and makes the service of its routes.
    static func authority(
        _ wiring: Wiring,
        _ sockets: DaemonSockets,
        _ parts: PendingParts,
        on group: any EventLoopGroup
    ) throws(StartFailure) -> HTTPService {
        let configured = wiring.current.value.configuration
        let logger = wiring.log.logger("http")
        var limits = HTTPLimits()
        limits.connectionsPerUID = configured.limits.connectionsPerUid
        return HTTPService(
            sockets: try sockets.authority(configured.server),
            pipeline: parts.pipeline { parts in
                let configuration = wiring.current.value.configuration
                let origins = OriginRule(
                    machine: parts.stores.machine,
                    isBehindProxy: configuration.server.behindProxy,
                    proxies: configuration.proxies
                )
                let routes = AuthorityRoutes(
                    base: configuration.issuerBase,
                    tenant: configuration.tenant,
                    documents: AuthorityDocuments(
                        metadata: { parts.authority.metadata(policy: $0) },
                        keys: { try await parts.authority.jwks() },
                        defaultPolicy: { wiring.current.value.configuration.defaultPolicy.description }
                    ),
                    browsers: BrowserDoor(
                        flows: parts.browsers,
                        base: configuration.issuerBase,
                        origins: origins,
                        ended: { await parts.broker.userLeft($0) }
                    ),
                    programs: ProgramDoor(authority: parts.authority, origins: origins),
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
            tls: configured.server.tls.map {
                TLSFiles(certificate: $0.certificate, privateKeyFile: $0.privateKeyFile)
            },
            limits: limits,
            group: group,
            logger: logger
        )
    }
}
