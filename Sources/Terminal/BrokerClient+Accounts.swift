import BrokerAPI
public import BrokerClient
public import FlowModel
import OAuth

extension BrokerClient {
    /// The account that is meant: the one named, else the only one there is.
    public func account(orOnly id: String?) async throws -> AccountSummary {
        if let id { return try await account(id) }
        let accounts = try await accounts()
        guard let account = accounts.first else {
            throw CommandFailure(
                .denied,
                Refusal.Reason.interactionRequired.word,
                "nobody is signed in",
                hint: "sign in by `sign-in`, or make an account by `sign-up`"
            )
        }
        guard accounts.count == 1 else {
            var failure = CommandFailure(
                .failed,
                Refusal.Reason.accountAmbiguous.word,
                "there are \(accounts.count) accounts, and none was named",
                hint: accounts.map { "--account \($0.account) is \($0.username)" }.joined(separator: ", ")
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
    /// - Parameter policy: The policy that says what is asked.
    /// - Returns: The account that signed in.
    /// - Throws: What ended the flow.
    public func signIn(policy: String) async throws -> AccountSummary {
        let known = Set(try await accounts().map(\.account))
        _ = try await runFlow(policy: policy)
        let accounts = try await accounts()
        let newest = accounts.first { !known.contains($0.account) } ?? accounts.max { $0.lastUsed < $1.lastUsed }
        guard let newest else {
            throw CommandFailure(.failed, "account_not_found", "the account was signed out meanwhile")
        }
        return newest
    }
}
