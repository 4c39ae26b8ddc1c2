import BrokerAPI
public import BrokerClient
public import FlowModel
import OAuth

extension BrokerClient {
    /// Returns the account that `text` specifies or, if it is `nil`, the current, the default or the only account.
    ///
    /// - Parameters:
    ///   - text: The id or the user name of an account, a unique prefix of either, or `nil`.
    ///   - current: The id of the current account, which may have been signed out since the id was stored.
    ///   - wasSignedIn: Whether a user is known to have signed in before.
    ///   - program: The program whose `sign-in` command the error message suggests.
    /// - Returns: The account.
    /// - Throws: A `CommandFailure` if no account matches, or if more than one account matches.
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

    /// Runs a flow that creates a session, and returns the account that signed in.
    ///
    /// The browser returns to `loopbackPort`, which is 0 for any permitted port and `nil` for no port.
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
