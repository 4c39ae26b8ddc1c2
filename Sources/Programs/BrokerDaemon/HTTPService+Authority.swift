import Authority
import AuthorityWeb
import Broker
import Foundation
import HTTPServer
import NIOCore
import Policies
import ProgramConfiguration
import Storage
import Systemd

extension HTTPService {
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
        let listening = try sockets.authority(configured.server, logger)
        let peers = PeerLookUp(listening, logger: logger)
        return HTTPService(
            sockets: listening,
            pipeline: parts.pipeline { parts in
                let configuration = wiring.current.value.configuration
                let origins = OriginRule(
                    machine: parts.stores.machine,
                    isBehindProxy: configuration.server.behindProxy,
                    header: configuration.forwardedHeader,
                    proxies: configuration.proxies
                )
                let routes = AuthorityRoutes(
                    base: configuration.issuerBase,
                    tenant: configuration.tenant,
                    documents: AuthorityDocuments(
                        metadata: { parts.authority.issuers.metadataDocument(policy: $0) },
                        keys: { try await parts.authority.issuers.jwks() },
                        readyKeys: { parts.authority.issuers.readyJWKS() },
                        defaultPolicy: { wiring.current.authority.defaultPolicy.description },
                        providers: { parts.authority.providerPolicies }
                    ),
                    browsers: BrowserEndpoints(
                        flows: parts.browsers,
                        base: configuration.issuerBase,
                        origins: origins,
                        ended: { await parts.broker.userLeft($0) }
                    ),
                    programs: ProgramEndpoints(authority: parts.authority, origins: origins, logger: logger) {
                        try await parts.browsers.signIn($0)
                    },
                    health: Health(
                        checks: [parts.stores.check, peers.check],
                        metrics: wiring.metrics,
                        measure: parts.measures.take,
                        audience: .init(
                            isBehindProxy: configuration.server.behindProxy || !configuration.proxies.isEmpty
                        )
                    )
                )
                return routes.pipeline(
                    hosts: .base(configuration.issuerBase),
                    metrics: wiring.metrics,
                    requests: wiring.requests,
                    logger: logger
                )
            },
            tls: try wiring.certificate(configured.server.tls),
            limits: limits,
            answers: wiring.answers,
            requests: wiring.requests,
            group: group,
            logger: logger
        )
    }
}

extension Wiring {
    /// Returns the usable certificate files for `tls`, creating or renewing the localhost certificate if necessary.
    fileprivate func certificate(_ tls: ServerSettings.TLS?) throws(StartFailure) -> TLSFiles? {
        switch tls {
        case nil: return nil
        case .files(let certificate, let key):
            let files = TLSFiles(certificate: certificate, privateKeyFile: key)
            do throws(UnusableCertificate) { try files.check() } catch { throw StartFailure(error.description) }
            return files
        case .localCA:
            do throws(StoreError) {
                let made = try LocalhostCertificate(in: StateDirectory(stateDirectory), now: Date())
                made.log(to: log.logger("http"))
                return TLSFiles(certificate: made.file, privateKeyFile: made.file)
            } catch {
                throw StartFailure(error)
            }
        }
    }
}
