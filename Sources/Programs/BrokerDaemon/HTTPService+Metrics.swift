import HTTPServer
import NIOCore
import ProgramConfiguration
import Systemd

extension HTTPService {
    /// Creates the service that serves metrics to any client at `metrics.listen`, or returns `nil` if that is not set.
    static func metrics(
        _ wiring: Wiring,
        _ parts: PendingParts,
        on group: any EventLoopGroup
    ) throws(StartFailure) -> HTTPService? {
        guard let endpoint = wiring.current.value.configuration.server.metricsListen else { return nil }
        let logger = wiring.log.logger("metrics")
        do {
            return HTTPService(
                sockets: try ListeningSocket.open([.tcp(host: endpoint.host, port: endpoint.port)]),
                pipeline: parts.pipeline { parts in
                    let all = Health(
                        checks: [parts.stores.check],
                        metrics: wiring.metrics,
                        measure: parts.measures.take,
                        audience: .everyCaller
                    )
                    return HTTPPipeline(
                        router: all.router(),
                        hosts: .any,
                        errors: .oauth,
                        requests: wiring.requests,
                        logger: logger
                    )
                },
                answers: wiring.answers,
                requests: wiring.requests,
                group: group,
                logger: logger
            )
        } catch {
            throw StartFailure("\(error)")
        }
    }
}
