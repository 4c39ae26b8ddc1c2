import Authority
public import FlowModel
import Flows
import Moments
public import OAuth
import Policies
import StoreRefusals
import Synchronization
import TokenCache

/// Lists and updates the accounts that are cached for this machine's uids, and selects the account that a call uses.
public struct LocalAccounts: Sendable {
    let store: IssuedTokenStore
    let settings: @Sendable () -> BrokerSettings
    let catalogue: @Sendable () -> PolicyCatalogue
    let clock: MomentClock
    let lastUsed = AccountLastUsed()

    var cache: TokenCache { store.cache }
    var authority: Authority { store.authority }

    /// Returns the users' accounts of the caller's uid, without accounts of services, most recently used first.
    public func list(caller: Caller) async throws -> [AccountSummary] {
        try await every(of: caller.owner.cacheUID).filter { !$0.isService }.map(summary)
            .sorted { $0.lastUsed > $1.lastUsed }
    }

    /// Returns the account with the given id.
    public func get(_ id: String, caller: Caller) async throws -> AccountSummary {
        summary(try await person(id, caller))
    }

    /// Sets the default account of the caller's uid, which is used if a request does not specify an account.
    public func use(_ id: String, caller: Caller) async throws -> AccountSummary {
        let uid = try caller.owner.cacheUID
        _ = try await person(id, caller)
        let used = try await Broker.rows.storing { try await cache.accounts.makeDefault(uid: uid, account: id) }
        guard let used else { throw Broker.noSuchAccount }
        return summary(used)
    }

    /// Returns the row of the user account `id`; throws `account_not_found` if it is missing or belongs to a service.
    private func person(_ id: String, _ caller: Caller) async throws -> AccountRow {
        let row = try await row(id, caller)
        guard !row.isService else { throw Broker.noSuchAccount }
        return row
    }

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

    /// Returns the given account, or for `nil` the only or default one; throws `interaction_required` if there is none.
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

    /// Returns the policy of the account's last sign-in unless it only allows sign-up, or else the default policy.
    func usualPolicy(of account: AccountRow?) -> String {
        let last = (account?.lastPolicy).flatMap { try? PolicyID($0) }
        if let last, let policy = catalogue()[last], policy.kind.signsIn { return last.description }
        return settings().defaultPolicy.description
    }

    /// Adds the accounts of signed-in users that a crash, or another daemon with the same store, left out of the cache.
    ///
    /// - Returns: The uid's cached accounts, or `nil` if no account was missing or a sign-out is pending.
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

    func noteUse(uid: UInt32, account: String) {
        lastUsed.note(.init(uid: uid, account: account), at: clock.now.wall)
    }

    func storeUses() async throws {
        let uses = lastUsed.take().map { AccountUse(uid: $0.key.uid, account: $0.key.account, at: $0.value) }
        try await cache.accounts.noteUses(uses)
    }

    // MARK: Store keys

    /// Returns the 32-byte key, created by the first call, with which a program encrypts its own data for an account.
    ///
    /// - Throws: `Refusal` if there is no such account, if the cache is locked, or if there are too many keys.
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
    /// The uid whose cache contains the caller's accounts and tokens.
    ///
    /// - Throws: `not_permitted` for a browser, which stores its tokens itself.
    var cacheUID: UInt32 {
        get throws(Refusal) {
            switch self {
            case .local(_, let uid): uid
            case .browser: throw Refusal(.notPermitted, Text("refusal.browserHasNoCache"))
            }
        }
    }
}

/// The accounts' last-used times, which stay in memory until housekeeping writes them to the cache.
final class AccountLastUsed: Sendable {
    struct Key: Hashable, Sendable {
        let uid: UInt32
        let account: String
    }

    /// The maximum number of accounts whose uses are recorded between two writes.
    static let limit = 10_000

    private let uses = Mutex<[Key: Int64]>([:])

    /// Records that an account was used at the time `at`, in milliseconds since 1970 UTC.
    func note(_ key: Key, at: Int64) {
        uses.withLock { uses in
            guard uses[key] != nil || uses.count < Self.limit else { return }
            uses[key] = max(uses[key] ?? 0, at)
        }
    }

    func lastUsed(_ key: Key) -> Int64? { uses.withLock { $0[key] } }

    func take() -> [Key: Int64] {
        uses.withLock { uses in
            defer { uses = [:] }
            return uses
        }
    }
}
