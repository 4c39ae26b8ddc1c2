import ArgumentParser
import BrokerAPI
import BrokerClient
import FlowModel
import OAuth
import Policies
import Terminal

/// A command that runs the policy of its kind, and says who is signed in afterwards.
protocol PolicyCommand: DaemonCommand {
    /// The policy that it runs if none is named.
    static var policy: UsualPolicy { get }
    /// The next thing to do, for a person who has done this; nil if there is none.
    static var advice: Text? { get }
    /// The options of the command.
    var options: PolicyOptions { get }
    /// The provider with which the person signs in; nil if that is asked.
    var providerName: String? { get }
}

extension PolicyCommand {
    var providerName: String? { nil }
    static var advice: Text? { nil }
    var connection: ConnectionOptions { options.connection }

    func run(_ correlation: CorrelationID) async throws {
        let questions = options.signIn.answers.questions
        let account = try await connection.withBroker(correlation, asking: questions) { broker in
            let policy = try await Self.policy.name(options.signIn.policy, of: broker, with: providerName)
            return try await broker.signIn(
                policy: policy,
                mode: ProviderOption.mode(options.browser.mode, for: providerName),
                provider: providerName,
                loopbackPort: options.browser.loopbackPort
            )
        }
        try Output.signedIn(account, asJSON: shared.json)
        if let advice = Self.advice, !shared.json { Program.note(advice.text) }
    }
}

/// The options of a command that runs a policy.
struct PolicyOptions: ParsableArguments {
    @OptionGroup var browser: BrowserOption
    @OptionGroup var signIn: SignInOptions
    @OptionGroup var connection: ConnectionOptions
}

/// The policy that a command runs if its caller names none: the shipped one, or the first of its kinds by name.
struct UsualPolicy: Sendable {
    /// The name of the shipped policy.
    let shipped: String
    /// The kinds that serve, the best first.
    let kinds: [PolicyKind]

    static let signUp = UsualPolicy(shipped: "b2c_1_sign_up", kinds: [.signUp, .signUpOrSignIn])
    static let signIn = UsualPolicy(shipped: "b2c_1_sign_in", kinds: [.signIn, .signUpOrSignIn])
    static let passwordReset = UsualPolicy(shipped: "b2c_1_password_reset", kinds: [.passwordReset])
    static let profileEdit = UsualPolicy(shipped: "b2c_1_edit_profile", kinds: [.profileEdit])

    /// Returns the policy to run.
    ///
    /// - Parameters:
    ///   - named: The policy that the caller named.
    ///   - broker: The daemon, which is asked for its policies if none was named.
    ///   - provider: The provider that the person signs in with; a policy that has it is taken then.
    /// - Returns: The policy's name.
    /// - Throws: A `CommandFailure` if no policy is of the kinds.
    func name(_ named: String?, of broker: BrokerClient, with provider: String? = nil) async throws -> String {
        if let named { return named }
        let policies = try await broker.policies()
        if let provider, let name = self.name(offering: provider, policies) { return name }
        if policies.contains(where: { $0.policy == shipped }) { return shipped }
        let found = kinds.lazy.compactMap { kind in
            policies.filter { $0.available && $0.kind == kind.rawValue }.map(\.policy).min()
        }
        guard let name = found.first else {
            let text = Text("cli.broker.noPolicy", ["kinds": kinds.map(\.rawValue).joined(separator: ", ")])
            throw CommandFailure(.failed, "unknown_policy", text)
        }
        return name
    }

    /// The policy that signs in with a provider: a social one, which takes in who is new, else the first of its kinds.
    private func name(offering provider: String, _ policies: [PolicySummary]) -> String? {
        let offering = policies.filter { policy in
            policy.available
                && policy.providers.contains { ProviderName.usual($0) == ProviderName.usual(provider) }
        }
        let words = ([.social] + kinds).map(\.rawValue)
        return words.lazy.compactMap { word in offering.filter { $0.kind == word }.map(\.policy).min() }.first
    }
}
