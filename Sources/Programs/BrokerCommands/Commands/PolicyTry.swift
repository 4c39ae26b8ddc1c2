import ArgumentParser
import OAuth
import Policies
import Terminal

/// Walks a policy, as a person who meets it.
struct PolicyTry: Command {
    static let configuration = CommandConfiguration(
        commandName: "try",
        abstract: "Walk one policy in the terminal, on throwaway state.",
        discussion: """
            A daemon of its own runs the policy of FILE, with what lies beside it, and is removed with everything it kept \
            when the command ends, however it ends. Mails stay here and are shown. Where a policy asks for somebody who \
            has an account, one is made and named first. It says at the end what a client would get. A file with a \
            problem is refused as `tokenbroker policy check` refuses it, and one that calls other services needs \
            --call-outside, since it calls them as it would in production.
            """
    )

    @Argument(
        help: "The file of the policy, read together with the folder it lies in.",
        completion: .file(extensions: ["yaml"])
    )
    var file: String
    @Option(help: "A scope to ask for, may be repeated; without one all that the policy grants.") var scope: [String] =
        []
    @Flag(help: "Call the services outside that the policy names, with its real credentials.") var callOutside = false
    @OptionGroup var shared: SharedOptions

    func run(_ correlation: CorrelationID) async throws {
        let files = try PolicyFiles(file)
        let (catalogue, policy) = try Self.tried(files, callsOutside: callOutside)
        guard let terminal = TerminalDevice() else {
            throw CommandFailure(.denied, "interaction_required", TrialText.noTerminal.text)
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
            // The log and the audit that say more are gone with the daemon.
            failure.isRecorded = false
            throw failure
        }
        try shared.json ? Output.json(outcome.json) : outcome.print()
    }

    /// The policy, if it can be tried here.
    private static func tried(_ files: PolicyFiles, callsOutside: Bool) throws -> (PolicyCatalogue, Policy) {
        let catalogue = try files.checked(asJSON: false)
        guard let id = files.policy else {
            throw CommandFailure.usage(TrialText.noPolicy.text, hint: TrialText.namePolicy.text)
        }
        if let outside = catalogue.outside[id] {
            throw refused(.elsewhere(id: id.description, authority: outside.authority), id)
        }
        guard let policy = catalogue[id] else { throw CommandFailure.usage(TrialText.noPolicy.text) }
        if let provider = policy.providers.first {
            throw refused(.needsProvider(id: id.description, provider: provider), id)
        }
        if !callsOutside, let call = OutsideCall(policy, catalogue) {
            throw CommandFailure(
                .configuration,
                "configuration",
                TrialText.callsOutside(id: id.description, key: call.key, url: call.url).text,
                hint: TrialText.letCall.text
            )
        }
        return (catalogue, policy)
    }

    private static func refused(_ text: TrialText, _ id: PolicyID) -> CommandFailure {
        CommandFailure(.configuration, "configuration", text.text, hint: TrialText.signInThere(id: id.description).text)
    }
}
