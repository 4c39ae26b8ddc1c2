import ArgumentParser
import FlowModel
import Foundation
import Glibc
import OAuth
import Policies
import ProgramConfiguration
import Terminal

struct PolicyGroup: ParsableCommand {
    static let configuration = CommandConfiguration(
        "policy",
        "help.broker.policyGroup",
        subcommands: [PolicyCheck.self, PolicyTry.self]
    )
}

struct PolicyCheck: Command {
    static let configuration = CommandConfiguration("check", "help.broker.policyCheck")

    @Argument(help: .text("help.broker.policyCheck.file"), completion: .file(extensions: ["yaml"])) var file: String?
    @OptionGroup var shared: SharedOptions

    func run(_: CorrelationID) async throws {
        let file = try file ?? Self.usualFolder()
        let files = try PolicyFiles(file)
        let catalogue = try files.checked(asJSON: shared.json)
        if shared.json { return }
        try Output.line("\(file): ok")
        guard let policy = files.policy(of: catalogue) else { return }
        for line in PolicyExplanation(policy: policy, catalogue: catalogue).lines {
            try Output.line(PlainText.line(line))
        }
    }

    /// Returns the per-user daemon's default policy folder if it exists, or else the service's policy folder.
    private static func usualFolder() throws(CommandFailure) -> String {
        let own = ProgramPaths(environment: ProcessInfo.processInfo.environment, effectiveUID: geteuid())
        let folders = [own.policies, ProgramPaths.service.policies]
        if let folder = folders.first(where: FileManager.default.fileExists(atPath:)) { return folder }
        throw CommandFailure(
            .usage,
            "invalid_arguments",
            Text("cli.broker.noPolicyFolder", ["folder": folders[0]]),
            hint: Text("cli.broker.policyCheckNamesFile")
        )
    }
}
