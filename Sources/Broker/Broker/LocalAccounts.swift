import Authority
public import FlowModel
import Flows
import Moments
public import OAuth
import Policies
import StoreRefusals
import Synchronization
import TokenCache

/// The accounts that are cached for this machine's uids, and the selection of an account for a call.
public struct LocalAccounts: Sendable {
    let store: IssuedTokenStore
    let settings: @Sendable () -> BrokerSettings
    let catalogue: @Sendable () -> PolicyCatalogue
    let clock: MomentClock
    let lastUsed = AccountLastUsed()

    var cache: TokenCache { store.cache }
    var authority: Authority { store.authority }

    /// Returns the uid's accounts, most recently used first.
    ///
    /// Accounts that hold a service's tokens are left out.
    public func list(caller: Caller) async throws -> [AccountSummary] {
        try await every(of: caller.owner.cacheUID).filter { !$0.isService }.map(summary)
            .sorted { $0.lastUsed > $1.lastUsed }
    }

    /// Returns the account with the given id.
    public func get(_ id: String, caller: Caller) async throws -> AccountSummary {
        summary(try await person(id, caller))
    }

    /// Sets a uid's default account, which is used if a request does not specify one.
    public func use(_ id: String, caller: Caller) async throws -> AccountSummary {
        let uid = try caller.owner.cacheUID
        _ = try await person(id, caller)
        let used = try await Broker.rows.storing { try await cache.accounts.makeDefault(uid: uid, account: id) }
        guard let used else { throw Broker.noSuchAccount }
        return summary(used)
    }

    /// Returns the row of one of the caller's accounts, if it belongs to a user and not to a service.
    private func person(_ id: String, _ caller: Caller) async throws -> AccountRow {
        let row = try await row(id, caller)
        guard !row.isService else { throw Broker.noSuchAccount }
        return row
    }

    /// Returns the row of one of the caller's accounts.
    func row(_ id: String, _ caller: Caller) async throws -> AccountRow {
        let uid = try caller.owner.cacheUID
        if let row = try await Broker.rows.storing({ try cache.accounts.get(uid: uid, id: id) }) { return row }
        guard let row = store.unkept.accounts(uid: uid, at: clock.now.wall).first(where: { $0.account == id }) else {
            throw Broker.noSuchAccount
        }
        return row
    }

    /// Returns a uid's accounts, including external accounts whose tokens could not be stored in the cache.
    func every(of uid: UInt32) async throws -> [AccountRow] {
        let rows = try await Broker.rows.storing { try cache.accounts.list(uid: uid) }
        let held = store.unkept.accounts(uid: uid, at: clock.now.wall)
        return rows + held.filter { account in !rows.contains { $0.account == account.account } }
    }

    private func summary(_ row: AccountRow) -> AccountSummary {
        AccountSummary(
            account: row.account,
            username: row.username,
            displayName: row.displayName ?? row.username,
            authority: row.authority,
            policies: row.policies,
            lastUsed: max(row.lastUsed, lastUsed.lastUsed(.init(uid: row.uid, account: row.account)) ?? 0),
            isDefault: row.isDefault
        )
    }

    /// Returns the specified account, or the default account if the call does not specify one.
    ///
    /// - Throws: `account_not_found`, `account_ambiguous`; `interaction_required` if no user is signed in.
    func chosen(_ account: String?, _ caller: Caller) async throws -> AccountRow {
        var request = AcquireRequest(scopes: [])
        request.account = account
        request.prompt = .none
        let choice = try await AccountSelection(accounts: self, request: request, caller: caller, place: .here).choose()
        guard let account = choice.account else {
            throw Refusal(.interactionRequired, Text("refusal.nobodySignedIn"))
        }
        return account
    }

    /// Returns the policy that the account last signed in with, or else the default policy.
    ///
    /// A policy that is only for sign-up is not used for another sign-in.
    func usualPolicy(of account: AccountRow?) -> String {
        let last = (account?.lastPolicy).flatMap { try? PolicyID($0) }
        if let last, let policy = catalogue()[last], policy.kind.signsIn { return last.description }
        return settings().defaultPolicy.description
    }

    /// Creates accounts for users with a live session but no account in the cache.
    ///
    /// An account is missing if a process ended between writing to the authority's store and to the cache, or if
    /// another daemon that shares the authority's store created the session.
    ///
    /// - Parameters:
    ///   - caller: The caller whose sessions are read.
    ///   - known: The existing accounts.
    /// - Returns: All accounts, or `nil` if none was missing or a sign-out is pending.
    /// - Throws: A store error.
    func adopt(_ caller: Caller, known: [AccountRow]) async throws -> [AccountRow]? {
        let uid = try caller.owner.cacheUID
        let signOuts = try await Broker.rows.storing { try cache.signOuts.generation(uid: uid) }
        guard try await Broker.rows.storing({ try cache.signOuts.pending(uid: uid) }).isEmpty else { return nil }
        let subjects = Set(known.map(\.subject))
        let missing = try await authority.sessions.signedIn(caller.owner).filter { !subjects.contains($0.user.id.oid) }
        guard !missing.isEmpty else { return nil }
        for person in missing {
            _ = try await store.keep(person.user, policy: person.policy, uid: uid, signOuts: signOuts)
        }
        return try await Broker.rows.storing { try cache.accounts.list(uid: uid) }
    }

    // MARK: Uses

    /// Records that one of the account's tokens was returned.
    func noteUse(uid: UInt32, account: String) {
        lastUsed.note(.init(uid: uid, account: account), at: clock.now.wall)
    }

    /// Writes the times when accounts were last used to the cache.
    func storeUses() async throws {
        let uses = lastUsed.take().map { AccountUse(uid: $0.key.uid, account: $0.key.account, at: $0.value) }
        try await cache.accounts.noteUses(uses)
    }

    // MARK: Store keys

    /// Returns the key that a program uses to encrypt its own data for one of the caller's accounts.
    ///
    /// The first call creates the key.
    ///
    /// - Parameters:
    ///   - account: The id of the account.
    ///   - client: The program.
    ///   - purpose: The name of the store. It distinguishes the stores of one program.
    ///   - caller: The caller, and the correlation id of its call.
    /// - Returns: 32 bytes.
    /// - Throws: `Refusal` if there is no such account, the cache is locked, or there are too many keys.
    public func storeKey(
        account: String,
        client: String?,
        purpose: String,
        caller: Caller
    ) async throws -> Secret {
        let uid = try caller.owner.cacheUID
        let client = client ?? AuthoritySettings.defaultClient
        let key = try await Broker.rows.storing {
            try await cache.storeKeys.key(uid: uid, account: account, client: client, purpose: purpose)
        }
        guard let key else { throw Broker.noSuchAccount }
        return key
    }
}

extension Owner {
    /// The uid whose part of the cache the owner uses.
    ///
    /// - Throws: `notPermitted` for a browser, which stores its tokens itself.
    var cacheUID: UInt32 {
        get throws(Refusal) {
            switch self {
            case .local(_, let uid): uid
            case .browser: throw Refusal(.notPermitted, Text("refusal.browserHasNoCache"))
            }
        }
    }
}

/// The times when accounts were last used, in memory until housekeeping writes them.
///
/// This way, returning a cached token does not require a write.
final class AccountLastUsed: Sendable {
    /// Identifies an account by its uid and id.
    struct Key: Hashable, Sendable {
        let uid: UInt32
        let account: String
    }

    /// The maximum number of accounts recorded between two writes.
    ///
    /// Uses of additional accounts are not recorded.
    static let limit = 10_000

    private let uses = Mutex<[Key: Int64]>([:])

    /// Records a use, in milliseconds since 1970 UTC.
    func note(_ key: Key, at: Int64) {
        uses.withLock { uses in
            guard uses[key] != nil || uses.count < Self.limit else { return }
            uses[key] = max(uses[key] ?? 0, at)
        }
    }

    /// Returns when an account was last used, or `nil` if that time has already been written.
    func lastUsed(_ key: Key) -> Int64? { uses.withLock { $0[key] } }

    /// Removes and returns all uses that have not been written yet.
    func take() -> [Key: Int64] {
        uses.withLock { uses in
            defer { uses = [:] }
            return uses
        }
    }
}
