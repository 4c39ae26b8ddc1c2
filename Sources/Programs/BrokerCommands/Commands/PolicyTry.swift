import ArgumentParser
import FlowModel
import OAuth
import Policies
import Terminal

struct PolicyTry: Command {
    static let configuration = CommandConfiguration("try", "help.broker.policyTry", more: "help.broker.policyTry.more")

    @Argument(help: .text("help.broker.policyTry.file"), completion: .file(extensions: ["yaml"])) var file: String
    @Option(help: .text("help.broker.policyTry.scope")) var scope: [String] = []
    @Flag(help: .text("help.broker.policyTry.callOutside")) var callOutside = false
    @OptionGroup var shared: SharedOptions

    func run(_ correlation: CorrelationID) async throws {
        let files = try PolicyFiles(file)
        let (catalogue, policy) = try Self.tried(files, callsOutside: callOutside)
        guard let terminal = TerminalDevice() else {
            throw CommandFailure.interactionRequired(Text("cli.trial.noTerminal"))
        }
        let folder = try TrialFolder(around: catalogue.namedFiles.map(\.levelsUp).max() ?? 0)
        defer { folder.remove() }
        try files.copy(into: folder.policies, with: catalogue)
        let trial = Trial(policy: policy, catalogue: catalogue, scopes: scope, folder: folder, terminal: terminal)
        let outcome: TrialOutcome
        do {
            outcome = try await trial.walk(correlation)
        } catch {
            var failure = CommandFailure(error, correlation)
            // The temporary daemon's log and audit log are deleted, so a correlation id would be useless.
            failure.isRecorded = false
            throw failure
        }
        try shared.json ? Output.json(outcome.json) : outcome.print()
    }

    private static func tried(_ files: PolicyFiles, callsOutside: Bool) throws -> (PolicyCatalogue, Policy) {
        let catalogue = try files.checked(asJSON: false)
        guard let id = files.policy else {
            throw CommandFailure.usage(Text("cli.trial.noPolicy"), hint: Text("cli.trial.namePolicy"))
        }
        if let outside = catalogue.outside[id] {
            throw refused(Text("cli.trial.elsewhere", ["id": id.description, "authority": outside.authority]), id)
        }
        guard let policy = catalogue[id] else { throw CommandFailure.usage(Text("cli.trial.noPolicy")) }
        if let provider = policy.providers.first {
            throw refused(Text("cli.trial.needsProvider", ["id": id.description, "provider": provider]), id)
        }
        if !callsOutside, let call = OutsideCall(policy, catalogue) {
            throw CommandFailure.configuration(
                Text("cli.trial.callsOutside", ["id": id.description, "key": call.key, "url": call.url]),
                hint: Text("cli.trial.letCall")
            )
        }
        return (catalogue, policy)
    }

    private static func refused(_ text: Text, _ id: PolicyID) -> CommandFailure {
        .configuration(text, hint: Text("cli.trial.signInThere", ["id": id.description]))
    }
}
