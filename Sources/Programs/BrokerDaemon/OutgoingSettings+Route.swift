import OutgoingHTTP
import ProgramConfiguration

extension OutgoingSettings {
    /// The way that the configuration names, with its certificates read.
    func route() throws(StartFailure) -> OutgoingRoute {
        do {
            return try OutgoingRoute(
                proxy: proxy.map { ($0.host, $0.port) },
                authorityFile: caFile,
                trustedLoopback: trustedLoopback
            )
        } catch {
            throw StartFailure("`outgoing.caFile`: \(caFile ?? "") holds no certificates that can be read")
        }
    }
}
