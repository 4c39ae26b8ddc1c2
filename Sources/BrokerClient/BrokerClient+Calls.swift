public import BrokerAPI
public import FlowModel
public import OAuth

extension BrokerClient {
    /// Returns the status of the daemon.
    public func status() async throws -> ServiceStatus { try await call(BrokerStatus()) }

    /// Seals this uid's cache under a passphrase until ``unlock(_:)``.
    public func lock(_ passphrase: Secret) async throws { _ = try await call(BrokerLock(passphrase: passphrase)) }

    /// Unseals this uid's cache with its passphrase.
    public func unlock(_ passphrase: Secret) async throws { _ = try await call(BrokerUnlock(passphrase: passphrase)) }

    /// Returns the daemon's policies.
    public func policies() async throws -> [PolicySummary] { try await call(PolicyList()).values }

    /// Returns the policy with that id.
    public func policy(_ id: String) async throws -> PolicySummary { try await call(PolicyGet(policy: id)) }

    /// Returns this uid's accounts, last used first.
    public func accounts() async throws -> [AccountSummary] { try await call(AccountList()).values }

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
        try await call(TokenList(account: account)).values
    }

    /// Returns this uid's open flows, without their steps.
    public func flows() async throws -> [FlowDocument] { try await call(FlowList()).values }

    /// Returns this uid's security events.
    public func audit(since: Int64? = nil, limit: Int64? = nil) async throws -> [AuditRecord] {
        try await call(AuditQuery(since: since, limit: limit)).values
    }

    /// Signs out one account, or all of them.
    public func signOut(_ extent: SignOutRequest.Extent) async throws -> SignOutSummary {
        try await call(SignOutRequest(extent))
    }
}

/// Calls for operators; other users are refused with `not_permitted`.
extension BrokerClient {
    /// Returns the security events of all users.
    public func auditOfAll(since: Int64? = nil, limit: Int64? = nil) async throws -> [AuditRecord] {
        try await call(AuditAll(since: since, limit: limit)).values
    }

    /// Registers a client; only this answer shows its secret.
    public func addClient(_ client: NewClient) async throws -> AddedClient { try await call(client) }

    /// Returns the registered clients.
    public func clients() async throws -> [ClientSummary] { try await call(ClientList()).values }

    /// Removes a client.
    public func removeClient(_ id: String) async throws { _ = try await call(ClientRemove(client: id)) }

    /// Returns the users, ordered by object id.
    public func users(after: String? = nil, limit: Int64? = nil) async throws -> [UserSummary] {
        try await call(UserList(after: after, limit: limit)).values
    }

    /// Returns the user with that object id or sign-in name.
    public func user(_ user: String) async throws -> UserSummary { try await call(UserShow(user: user)).value }

    /// Invites the owner of an e-mail address to sign up.
    public func invite(_ email: String, days: Int64? = nil) async throws -> Invitation {
        try await call(UserInvite(email: email, days: days)).value
    }

    /// Returns the groups of users, or one with its members.
    public func groups(_ group: String? = nil) async throws -> [GroupSummary] {
        try await call(GroupList(group: group)).values
    }

    /// Adds a user to a group.
    public func addToGroup(_ group: String, user: String) async throws -> GroupSummary {
        try await call(GroupAdd(group: group, user: user)).value
    }

    /// Removes a user from a group.
    public func removeFromGroup(_ group: String, user: String) async throws {
        _ = try await call(GroupRemove(group: group, user: user))
    }

    /// Disables a user's sign-in, or enables it again.
    public func setUser(_ user: String, disabled: Bool) async throws -> UserSummary {
        try await call(UserDisable(user: user, disabled: disabled)).value
    }

    /// Lifts the blocks on a user's attempts.
    public func unlockUser(_ user: String) async throws -> UserSummary { try await call(UserUnlock(user: user)).value }

    /// Deletes a user.
    public func deleteUser(_ user: String) async throws { _ = try await call(UserDelete(user: user)) }

    /// Returns the signing keys.
    public func keys() async throws -> [KeySummary] { try await call(KeysList()).values }

    /// Rotates the signing keys of one algorithm or of all.
    public func rotateKeys(alg: String? = nil) async throws -> [KeySummary] {
        try await call(KeysRotate(alg: alg)).values
    }

    /// Revokes a signing key at once.
    public func revokeKey(_ kid: String) async throws -> [KeySummary] { try await call(KeysRevoke(kid: kid)).values }

    /// Backs up the authority's store while it is in use; returns the path of the copy.
    public func backup() async throws -> BackupSummary { try await call(StoreBackup()) }
}
