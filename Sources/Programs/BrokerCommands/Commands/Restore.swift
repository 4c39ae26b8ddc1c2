import ArgumentParser
import FlowModel
import Foundation
import OAuth
import Terminal

/// Makes a backup the authority's store.
struct Restore: Command {
    static let configuration = CommandConfiguration("restore", "help.broker.restore", more: "help.broker.restore.more")

    @Argument(help: .text("help.broker.restore.file"), completion: .file()) var file: String
    @Option(help: .text("help.broker.restore.stateDirectory"), completion: .directory) var stateDirectory: String?
    @OptionGroup var shared: SharedOptions

    func run(_ correlation: CorrelationID) async throws {
        let output = Pipe()
        let process = Process()
        process.executableURL = URL(fileURLWithPath: try DaemonProgram.path())
        process.arguments = ["--restore", file] + (stateDirectory.map { ["--state-directory", $0] } ?? [])
        process.standardOutput = output
        let errors = Pipe()
        process.standardError = errors
        try process.run()
        let answer = output.fileHandleForReading.readDataToEndOfFile()
        let complaint = errors.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        guard process.terminationReason == .exit, process.terminationStatus == 0 else {
            throw failure(process.terminationStatus, String(decoding: complaint, as: UTF8.self))
        }
        let facts = String(decoding: answer, as: UTF8.self).split(separator: "\n").map {
            $0.split(separator: "\t", maxSplits: 1).map(String.init)
        }
        if shared.json {
            let members = facts.filter { $0.count == 2 }.map {
                ($0[0], Int64($0[1]).map(JSONValue.int) ?? .string($0[1]))
            }
            try Output.json(.object(Dictionary(members) { $1 }))
        } else {
            for fact in facts { try Output.line(fact.joined(separator: ": ")) }
        }
    }

    /// The complaint of the daemon's program, as this program's failure.
    private func failure(_ status: Int32, _ complaint: String) -> CommandFailure {
        let prefix = "tokenbrokerd: error: "
        let lines = complaint.split(separator: "\n").map(String.init)
        let said = lines.last { $0.hasPrefix(prefix) }?.dropFirst(prefix.count) ?? lines.last?[...]
        let status: ExitStatus =
            switch status {
            case ExitStatus.tryLater.rawValue: .tryLater
            case ExitStatus.configuration.rawValue: .configuration
            case ExitStatus.usage.rawValue: .usage
            default: .failed
            }
        return CommandFailure(
            status,
            "not_restored",
            said.map { Text(exactly: String($0)) } ?? Text("failure.saysNothing"),
            hint: Text("failure.nothingChanged")
        )
    }
}
