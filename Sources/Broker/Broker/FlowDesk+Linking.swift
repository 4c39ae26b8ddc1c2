import Authority
public import FlowModel
import Flows
import OAuth
import TokenCache

/// An account's own accounts at providers outside.
extension FlowDesk {
    /// Starts the flow that links an account at a provider: it asks in a browser for the account's own proof, and sends that
    /// browser to the provider then.
    ///
    /// - Parameters:
    ///   - provider: The provider's name in the configuration, which has no case.
    ///   - account: The account; nil for the one that is meant.
    ///   - caller: The caller.
    /// - Returns: The flow, with the place where it is continued.
    /// - Throws: `unsupported_step` for a provider that nobody signs in with; `unmet_authentication_requirements` if another
    ///   account there is linked, and whatever else starting throws.
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

    /// Starts the flow that takes an account at a provider away, after the account's own proof: here by its password, or in a
    /// browser by whatever else it has.
    ///
    /// - Parameters:
    ///   - provider: The provider's name, which has no case.
    ///   - account: The account; nil for the one that is meant.
    ///   - caller: The caller.
    /// - Returns: The flow.
    /// - Throws: `unmet_authentication_requirements` if there is none, or it is the only way to sign in, and whatever else
    ///   starting throws.
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
