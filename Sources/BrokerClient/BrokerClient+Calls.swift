public import BrokerAPI
public import FlowModel
public import OAuth

extension BrokerClient {
    /// How the daemon fares.
    public func status() async throws -> ServiceStatus { try await call(BrokerStatus()) }

    /// Seals this uid's cache under a passphrase, until it is unlocked by it.
    public func lock(_ passphrase: Secret) async throws { _ = try await call(BrokerLock(passphrase: passphrase)) }

    /// Opens this uid's cache by its passphrase.
    public func unlock(_ passphrase: Secret) async throws { _ = try await call(BrokerUnlock(passphrase: passphrase)) }

    /// The daemon's policies.
    public func policies() async throws -> [PolicySummary] { try await call(PolicyList()).values }

    /// One policy.
    public func policy(_ id: String) async throws -> PolicySummary { try await call(PolicyGet(policy: id)) }

    /// This uid's accounts, last used first.
    public func accounts() async throws -> [AccountSummary] { try await call(AccountList()).values }

    /// One account.
    public func account(_ id: String) async throws -> AccountSummary { try await call(AccountGet(account: id)) }

    /// Makes an account the one that is meant where several are signed in and none is named.
    @discardableResult
    public func use(_ account: String) async throws -> AccountSummary { try await call(AccountUse(account: account)) }

    /// What is known about the cached tokens of an account, or of all.
    public func tokens(account: String? = nil) async throws -> [TokenSummary] {
        try await call(TokenList(account: account)).values
    }

    /// This uid's open flows, without their steps.
    public func flows() async throws -> [FlowDocument] { try await call(FlowList()).values }

    /// This uid's security events.
    public func audit(since: Int64? = nil, limit: Int64? = nil) async throws -> [AuditRecord] {
        try await call(AuditQuery(since: since, limit: limit)).values
    }

    /// Forgets one account, or all of them.
    public func signOut(_ extent: SignOutRequest.Extent) async throws -> SignOutSummary {
        try await call(SignOutRequest(extent))
    }
}

/// What operators may ask; anybody else is refused as `not_permitted`.
extension BrokerClient {
    /// Everybody's security events.
    public func auditOfAll(since: Int64? = nil, limit: Int64? = nil) async throws -> [AuditRecord] {
        try await call(AuditAll(since: since, limit: limit)).values
    }

    /// Registers a client; its secret is answered this once.
    public func addClient(_ client: NewClient) async throws -> AddedClient { try await call(client) }

    /// The registered clients.
    public func clients() async throws -> [ClientSummary] { try await call(ClientList()).values }

    /// Removes a client.
    public func removeClient(_ id: String) async throws { _ = try await call(ClientRemove(client: id)) }

    /// The users, by object id.
    public func users(after: String? = nil, limit: Int64? = nil) async throws -> [UserSummary] {
        try await call(UserList(after: after, limit: limit)).values
    }

    /// One user, by object id or sign-in name.
    public func user(_ user: String) async throws -> UserSummary { try await call(UserShow(user: user)).value }

    /// Invites whoever has an address to sign up with it.
    public func invite(_ email: String, days: Int64? = nil) async throws -> Invitation {
        try await call(UserInvite(email: email, days: days)).value
    }

    /// The groups of users, or one with its members.
    public func groups(_ group: String? = nil) async throws -> [GroupSummary] {
        try await call(GroupList(group: group)).values
    }

    /// Puts a user into a group.
    public func addToGroup(_ group: String, user: String) async throws -> GroupSummary {
        try await call(GroupAdd(group: group, user: user)).value
    }

    /// Takes a user out of a group.
    public func removeFromGroup(_ group: String, user: String) async throws {
        _ = try await call(GroupRemove(group: group, user: user))
    }

    /// Keeps a user from signing in, or lets one in again.
    public func setUser(_ user: String, disabled: Bool) async throws -> UserSummary {
        try await call(UserDisable(user: user, disabled: disabled)).value
    }

    /// Lifts the blocks on a user's attempts.
    public func unlockUser(_ user: String) async throws -> UserSummary { try await call(UserUnlock(user: user)).value }

    /// Deletes a user.
    public func deleteUser(_ user: String) async throws { _ = try await call(UserDelete(user: user)) }

    /// The signing keys.
    public func keys() async throws -> [KeySummary] { try await call(KeysList()).values }

    /// Brings new signing keys forward, of one algorithm or of all.
    public func rotateKeys(alg: String? = nil) async throws -> [KeySummary] {
        try await call(KeysRotate(alg: alg)).values
    }

    /// Ends a signing key at once.
    public func revokeKey(_ kid: String) async throws -> [KeySummary] { try await call(KeysRevoke(kid: kid)).values }

    /// Copies the authority's store while it is in use; answers where the copy is.
    public func backup() async throws -> BackupSummary { try await call(StoreBackup()) }
}
