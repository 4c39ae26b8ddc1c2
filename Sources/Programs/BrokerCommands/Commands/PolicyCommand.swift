import ArgumentParser
import BrokerAPI
import BrokerClient
import FlowModel
import OAuth
import Policies
import Terminal

/// A command that runs a policy and then prints the account.
protocol PolicyCommand: DaemonCommand {
    static var policy: UsualPolicy { get }
    static var advice: Text? { get }
    var options: PolicyOptions { get }
    /// The identity provider to use, or `nil` to let the user choose.
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

struct PolicyOptions: ParsableArguments {
    @OptionGroup var browser: BrowserOption
    @OptionGroup var signIn: SignInOptions
    @OptionGroup var connection: ConnectionOptions
}

/// The default policy of a command: the shipped policy or, if missing, the alphabetically first of a suitable kind.
struct UsualPolicy: Sendable {
    let shipped: String
    /// The kinds of policies that are suitable, in order of preference.
    let kinds: [PolicyKind]

    static let signUp = UsualPolicy(shipped: "b2c_1_sign_up", kinds: [.signUp, .signUpOrSignIn])
    static let signIn = UsualPolicy(shipped: "b2c_1_sign_in", kinds: [.signIn, .signUpOrSignIn])
    static let passwordReset = UsualPolicy(shipped: "b2c_1_password_reset", kinds: [.passwordReset])
    static let profileEdit = UsualPolicy(shipped: "b2c_1_edit_profile", kinds: [.profileEdit])

    /// Returns the name of the policy to run.
    ///
    /// This is `named`, or else a policy that offers `provider`, or else the default policy.
    ///
    /// - Throws: A `CommandFailure` if no policy is suitable.
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

    /// Returns the name of an available policy that offers the provider, or `nil` if there is none.
    ///
    /// Social policies are preferred, because they also register users.
    private func name(offering provider: String, _ policies: [PolicySummary]) -> String? {
        let offering = policies.filter { policy in
            policy.available
                && policy.providers.contains { ProviderName.usual($0) == ProviderName.usual(provider) }
        }
        let words = ([.social] + kinds).map(\.rawValue)
        return words.lazy.compactMap { word in offering.filter { $0.kind == word }.map(\.policy).min() }.first
    }
}
