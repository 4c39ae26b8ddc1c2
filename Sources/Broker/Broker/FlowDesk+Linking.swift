import Authority
public import FlowModel
import Flows
import OAuth
import TokenCache

/// Links a user to accounts at identity providers, and removes these links.
extension FlowDesk {
    /// Starts a flow that authenticates the user in a browser and then links an account at an identity provider.
    ///
    /// - Throws: `unsupported_step` if no policy offers the provider; `unmet_authentication_requirements` if another
    ///   account at the provider is already linked; the errors of starting a flow.
    public func link(_ provider: String, account: String?, caller: Caller) async throws -> Flow {
        let account = try await accounts.chosen(account, caller)
        let user = UserID(oid: account.subject)
        let change = try await engine.accounts.linking(provider, to: user)
        let proving = try await engine.accounts.proving(
            user,
            policy: try authority.policy(accounts.usualPolicy(of: account))
        )
        return try await start(account, change, .browser, proving, caller)
    }

    /// Starts a flow that authenticates the user by local password or in a browser and then unlinks an account.
    ///
    /// - Throws: `unmet_authentication_requirements` if no account at the provider is linked, or if it is the user's
    ///   only way to sign in; the errors of starting a flow.
    public func unlink(_ provider: String, account: String?, caller: Caller) async throws -> Flow {
        let account = try await accounts.chosen(account, caller)
        let user = UserID(oid: account.subject)
        let change = try await engine.accounts.unlinking(provider, from: user)
        let proving = try await engine.accounts.proving(
            user,
            policy: try authority.policy(accounts.usualPolicy(of: account))
        )
        return try await start(account, change, proving == nil ? .native : .browser, proving, caller)
    }

    private func start(
        _ account: AccountRow,
        _ change: CredentialChange,
        _ mode: AcquireRequest.Mode,
        _ provider: String?,
        _ caller: Caller
    ) async throws -> Flow {
        let flow = try await start(
            account,
            nil,
            check: nil,
            change: change,
            prefill: provider == nil ? ["username": .string(account.username)] : [:],
            provider: provider,
            caller.showing(mode)
        )
        return try await shown(flow, client: AuthoritySettings.defaultClient, mode, caller)
    }
}
