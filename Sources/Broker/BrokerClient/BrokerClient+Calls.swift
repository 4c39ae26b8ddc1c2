import BrokerAPI
public import FlowModel
public import OAuth

extension BrokerClient {
    /// Returns the status of the daemon.
    public func status() async throws -> ServiceStatus { try await call(BrokerStatus()) }

    /// Encrypts the current uid's cache with a passphrase, and locks it until ``unlock(_:)`` is called.
    public func lock(_ passphrase: Secret) async throws { _ = try await call(BrokerLock(passphrase: passphrase)) }

    /// Unlocks the current uid's cache with the cache's passphrase.
    public func unlock(_ passphrase: Secret) async throws { _ = try await call(BrokerUnlock(passphrase: passphrase)) }

    /// Returns the APIs for which the daemon supplies tokens, each with the origins to which its tokens may be sent.
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

    /// Returns the policy with the given id.
    public func policy(_ id: String) async throws -> PolicySummary { try await call(PolicyGet(policy: id)) }

    /// Returns the current uid's accounts, starting with the most recently used account.
    public func accounts() async throws -> [AccountSummary] { try await call(AccountList()) }

    /// Returns the account with the given id.
    public func account(_ id: String) async throws -> AccountSummary { try await call(AccountGet(account: id)) }

    /// Sets the default account, which is used when a call does not specify an account.
    @discardableResult
    public func use(_ account: String) async throws -> AccountSummary { try await call(AccountUse(account: account)) }

    /// Returns the 32-byte key with which this program encrypts its data for an account and a purpose.
    ///
    /// Every call with the same account and purpose returns the same key.
    public func storeKey(account: String, purpose: String) async throws -> Secret {
        try await call(StoreKey(purpose: purpose, account: account)).key
    }

    /// Returns descriptions of the cached tokens of `account`, or of all accounts if `account` is `nil`.
    public func tokens(account: String? = nil) async throws -> [TokenSummary] {
        try await call(TokenList(account: account))
    }

    /// Returns the current uid's open flows, without their steps.
    public func flows() async throws -> [Flow] { try await call(FlowList()) }

    /// Returns the current uid's audit events after the event number `since`, or from the first event if it is `nil`.
    ///
    /// The result contains at most `limit` events, or at most 100 if `limit` is `nil`.
    public func audit(since: Int64? = nil, limit: Int64? = nil) async throws -> [AuditRecord] {
        try await call(AuditQuery(since: since, limit: limit))
    }

    /// Signs out of one account or of all accounts.
    public func signOut(_ extent: SignOutRequest.Extent) async throws -> SignOutSummary {
        try await call(SignOutRequest(extent))
    }
}
