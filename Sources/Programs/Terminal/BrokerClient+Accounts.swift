import BrokerAPI
public import BrokerClient
public import FlowModel
import OAuth

extension BrokerClient {
    /// Finds the account that a command is about.
    ///
    /// - Parameters:
    ///   - text: An id, a user name, or what only one of them begins with; nil if none was named.
    ///   - current: The id of the one that was chosen before, which may be signed out by now.
    ///   - wasSignedIn: True if somebody is known to have signed in before.
    ///   - program: The program whose `sign-in` a person without an account is told of.
    /// - Returns: The named account, else the current one, the default, or the only one there is.
    /// - Throws: A `CommandFailure` if there is none, or if there are several.
    public func account(
        named text: String?,
        current: String? = nil,
        wasSignedIn: Bool = false,
        program: String
    ) async throws -> AccountSummary {
        let accounts = try await accounts()
        if let text { return try UniquePrefix.find(text, among: accounts, .account) { [$0.account, $0.username] } }
        let chosen = accounts.first { $0.account == current } ?? accounts.first(where: \.isDefault)
        if let chosen { return chosen }
        guard let account = accounts.first else {
            throw wasSignedIn ? CommandFailure.signedOut(program) : .nobodySignedIn(program)
        }
        guard accounts.count == 1 else {
            var failure = CommandFailure(
                .failed,
                Refusal.Reason.accountAmbiguous.word,
                Text("cli.terminal.severalAccounts", ["count": accounts.count]),
                hint: .list(
                    accounts.map {
                        Text("cli.terminal.account", ["option": "--account \($0.account)", "username": $0.username])
                    }
                )
            )
            failure.facts["candidates"] = .array(
                accounts.map { ["account": .string($0.account), "username": .string($0.username)] }
            )
            throw failure
        }
        return account
    }

    /// Runs a flow that leaves a session.
    ///
    /// - Parameters:
    ///   - policy: The policy that says what is asked.
    ///   - mode: The place at which the person is asked.
    ///   - provider: The provider outside to go to; nil if the person chooses.
    ///   - loopbackPort: The daemon's port to which the browser comes back; 0 for any that serves.
    /// - Returns: The account that signed in.
    /// - Throws: What ended the flow.
    public func signIn(
        policy: String,
        mode: AcquireRequest.Mode = .native,
        provider: String? = nil,
        loopbackPort: UInt16? = nil
    ) async throws -> AccountSummary {
        let known = Set(try await accounts().map(\.account))
        let flow = try await runFlow(policy: policy, mode: mode, provider: provider, loopbackPort: loopbackPort)
        let accounts = try await accounts()
        let newest =
            accounts.first { $0.account == flow.account } ?? accounts.first { !known.contains($0.account) }
            ?? accounts.max { $0.lastUsed < $1.lastUsed }
        guard let newest else {
            throw CommandFailure(.failed, "account_not_found", Text("cli.terminal.signedOutMeanwhile"))
        }
        return newest
    }
}
