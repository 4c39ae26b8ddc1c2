import ArgumentParser
import BrokerAPI
import BrokerClient
import FlowModel
import Localization
import OAuth
import Terminal

struct Status: CallCommand {
    static let configuration = CommandConfiguration("status", "help.broker.status")

    @OptionGroup var connection: ConnectionOptions

    var call: BrokerStatus { BrokerStatus() }

    func show(_ answer: ServiceStatus) throws {
        try Output.line(Text("cli.broker.daemon", ["version": answer.version, "seconds": answer.uptimeMs / 1000]))
        let cache = Text(answer.locked ? "cli.broker.cacheLocked" : "cli.broker.cacheOpen")
        try Output.facts([
            (Text("cli.broker.status.socket"), SocketFinding.usable(connection.location.paths) ?? ""),
            (Text("cli.broker.status.issuer"), answer.issuer ?? ""),
            (Text("cli.broker.status.configuration"), configuration(answer)),
            (Text("cli.broker.status.stateDirectory"), answer.stateDirectory ?? ""),
            (Text("cli.broker.status.policies"), answer.policies.joined(separator: " ")),
            (Text("cli.broker.status.cache"), cache.text),
            (Text("cli.broker.status.accounts"), count("accounts", answer)),
            (Text("cli.broker.status.tokens"), count("tokens", answer)),
            (Text("cli.broker.status.flows"), count("flows", answer)),
        ])
    }

    /// Returns the configuration file's path or the text for the defaults, or an empty string if the daemon is too old.
    private func configuration(_ answer: ServiceStatus) -> String {
        answer.configuration ?? (answer.issuer == nil ? "" : Text("cli.broker.status.builtIn").text)
    }

    private func count(_ name: String, _ answer: ServiceStatus) -> String {
        answer.counts[name].map(String.init) ?? ""
    }
}
