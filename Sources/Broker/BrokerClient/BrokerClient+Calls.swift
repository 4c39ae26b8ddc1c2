import BrokerAPI
public import FlowModel
public import OAuth

extension BrokerClient {
    /// Returns the status of the daemon.
    public func status() async throws -> ServiceStatus { try await call(BrokerStatus()) }

    /// Seals this uid's cache under a passphrase until ``unlock(_:)``.
    public func lock(_ passphrase: Secret) async throws { _ = try await call(BrokerLock(passphrase: passphrase)) }

    /// Unseals this uid's cache with its passphrase.
    public func unlock(_ passphrase: Secret) async throws { _ = try await call(BrokerUnlock(passphrase: passphrase)) }

    /// Returns the daemon's APIs, each with the origins that its tokens may be sent to.
    public func apis() async throws -> [APISummary] {
        let hello = try await call(introduction)
        let outside = Set(hello.policies.lazy.filter(\.isOutside).map(\.policy))
        return hello.apis.map { api in
            var api = api
            api.outsidePolicies = outside
            api.trustedLoopback = hello.trustedLoopback
            return api
        }
    }

    /// Returns the daemon's policies.
    public func policies() async throws -> [PolicySummary] { try await call(PolicyList()) }

    /// Returns the policy with that id.
    public func policy(_ id: String) async throws -> PolicySummary { try await call(PolicyGet(policy: id)) }

    /// Returns this uid's accounts, last used first.
    public func accounts() async throws -> [AccountSummary] { try await call(AccountList()) }

    /// Returns the account with that id.
    public func account(_ id: String) async throws -> AccountSummary { try await call(AccountGet(account: id)) }

    /// Makes an account the default, for calls that name none while several are signed in.
    @discardableResult
    public func use(_ account: String) async throws -> AccountSummary { try await call(AccountUse(account: account)) }

    /// Returns the key under which this program seals what it keeps of an account: 32 bytes, the same at every call.
    public func storeKey(account: String, purpose: String) async throws -> Secret {
        try await call(StoreKey(purpose: purpose, account: account)).key
    }

    /// Describes the cached tokens of an account, or of all accounts.
    public func tokens(account: String? = nil) async throws -> [TokenSummary] {
        try await call(TokenList(account: account))
    }

    /// Returns this uid's open flows, without their steps.
    public func flows() async throws -> [Flow] { try await call(FlowList()) }

    /// Returns this uid's security events.
    public func audit(since: Int64? = nil, limit: Int64? = nil) async throws -> [AuditRecord] {
        try await call(AuditQuery(since: since, limit: limit))
    }

    /// Signs out one account, or all of them.
    public func signOut(_ extent: SignOutRequest.Extent) async throws -> SignOutSummary {
        try await call(SignOutRequest(extent))
    }
}
