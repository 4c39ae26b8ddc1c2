import ArgumentParser
import Dispatch
import FlowModel
import Foundation
import Glibc
import Localization
import OAuth
import Terminal

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
        let pid = process.processIdentifier
        let (answer, complaint) = await withTaskCancellationHandler {
            async let answer = Self.read(output.fileHandleForReading)
            async let complaint = Self.read(errors.fileHandleForReading)
            return await (answer, complaint)
        } onCancel: {
            kill(pid, SIGTERM)
        }
        process.waitUntilExit()
        try Task.checkCancellation()
        let facts = String(decoding: answer, as: UTF8.self).split(separator: "\n").map {
            $0.split(separator: "\t", maxSplits: 1).map(String.init)
        }
        guard process.terminationReason == .exit, process.terminationStatus == 0 else {
            let text = facts.first { $0.first == "failed" }.flatMap { Self.text($0.last ?? "") }
            let isKilled = process.terminationReason != .exit
            throw failure(isKilled ? nil : process.terminationStatus, text, String(decoding: complaint, as: UTF8.self))
        }
        if shared.json {
            let members = facts.filter { $0.count == 2 }.map {
                ($0[0], Int64($0[1]).map(JSONValue.int) ?? .string($0[1]))
            }
            try Output.json(.object(Dictionary(members) { $1 }))
        } else {
            for fact in facts where fact.count == 2 {
                let text = Text("cli.broker.restored.\(fact[0])", ["value": fact[1]])
                // A newer `tokenbrokerd` can print values for which this program has no text.
                try Output.line(text.isInCatalog ? text.text : fact.joined(separator: ": "))
            }
        }
    }

    /// Reads a stream to its end, but returns only about the first 1 MiB.
    private static func read(_ stream: FileHandle) async -> Data {
        await withCheckedContinuation { read in
            DispatchQueue.global().async {
                var said = Data()
                while let chunk = try? stream.read(upToCount: 65_536), !chunk.isEmpty {
                    if said.count < 1_048_576 { said += chunk }
                }
                read.resume(returning: said)
            }
        }
    }

    /// Returns the message that `tokenbrokerd` printed as JSON, or `nil` if this program does not know the message.
    private static func text(_ json: String) -> Text? {
        let members = try? StrictJSON.parse(Array(json.utf8)).object
        guard let text = members.flatMap(Text.init(members:)), text.isInCatalog else { return nil }
        return text
    }

    /// Returns the failure for the exit status `ended`, or for a termination by a signal if `ended` is `nil`.
    ///
    /// After a signal, the store might have changed, so the failure has no hint that nothing changed.
    private func failure(_ ended: Int32?, _ text: Text?, _ complaint: String) -> CommandFailure {
        let status: ExitStatus =
            switch ended {
            case ExitStatus.tryLater.rawValue: .tryLater
            case ExitStatus.configuration.rawValue: .configuration
            case ExitStatus.usage.rawValue: .usage
            default: .failed
            }
        return CommandFailure(
            status,
            "not_restored",
            text ?? DaemonProgram.complaint(in: complaint).map { Text(exactly: $0) } ?? Text("failure.saysNothing"),
            hint: ended == nil ? nil : Text("failure.nothingChanged")
        )
    }
}
