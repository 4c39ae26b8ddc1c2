import Broker
import Flows
import HTTPServer
import ProgramConfiguration
import Systemd

/// Reloads the daemon's configuration files, and applies either all of them or none.
struct Reload {
    let wiring: Wiring
    let parts: PendingParts
    let listeners: [HTTPService]

    func run() async throws {
        let parts = try await parts.value
        let settings = try wiring.source.load()
        let old = wiring.current.value.configuration
        if let key = settings.configuration.restartNeeded(from: old) {
            throw StartFailure("`\(key)` has changed. Restart the daemon.")
        }
        for listener in listeners { try listener.renewCertificate() }
        wiring.current.replace(by: settings)
        wiring.log.change(
            format: settings.configuration.server.logFormat,
            level: settings.configuration.server.logLevel
        )
        settings.logWarnings(to: wiring.log.logger("tokenbrokerd"))
        await parts.flows.endOutdated()
        parts.broker.changed()
    }
}
