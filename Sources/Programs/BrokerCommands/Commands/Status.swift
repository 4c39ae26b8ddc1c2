import ArgumentParser
import BrokerAPI
import BrokerClient
import FlowModel
import OAuth
import Terminal

/// Shows how the daemon is.
struct Status: CallCommand {
    static let configuration = CommandConfiguration("status", "help.broker.status")

    @OptionGroup var connection: ConnectionOptions

    var call: BrokerStatus { BrokerStatus() }

    func show(_ answer: ServiceStatus) throws {
        try Output.line(Text("cli.broker.daemon", ["version": answer.version, "seconds": answer.uptimeMs / 1000]))
        try Output.line(Text("cli.broker.policies", ["names": answer.policies.joined(separator: ", ")]))
        try Output.line(Text(answer.locked ? "cli.broker.cacheLocked" : "cli.broker.cacheOpen"))
        for (name, count) in answer.counts.sorted(by: { $0.key < $1.key }) { try Output.line("\(name): \(count)") }
    }
}
