import Authority
public import FlowModel
import Flows
import OAuth
import TokenCache

/// Links and unlinks accounts at identity providers.
extension FlowDesk {
    /// Starts a flow that links an account at an identity provider.
    ///
    /// The flow authenticates the account's user in a browser, and then sends that browser to the provider.
    ///
    /// - Parameters:
    ///   - provider: The provider's name in the configuration, ignoring case.
    ///   - account: The account, or `nil` for the account that `token.acquire` would use.
    ///   - caller: The caller, and the correlation id of its call.
    /// - Returns: The flow, with the URL at which a browser continues it.
    /// - Throws: `unsupported_step` if no policy signs in with the provider; `unmet_authentication_requirements` if the
    ///   user has already linked another account there; and the errors of starting a flow.
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

    /// Starts a flow that unlinks an account at an identity provider.
    ///
    /// The flow first authenticates the user: with the account's local password if there is one, or otherwise in a
    /// browser.
    ///
    /// - Parameters:
    ///   - provider: The provider's name, ignoring case.
    ///   - account: The account, or `nil` for the account that `token.acquire` would use.
    ///   - caller: The caller, and the correlation id of its call.
    /// - Returns: The flow.
    /// - Throws: `unmet_authentication_requirements` if no account is linked, or if it is the user's only way to sign
    ///   in; and the errors of starting a flow.
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
