import Authority
public import FlowModel
import Flows
import Moments
public import OAuth
import Policies
import StoreRefusals
import Synchronization
import TokenCache

/// The accounts that the uids of this machine have in the cache, and those that calls mean.
public struct LocalAccounts: Sendable {
    let store: IssuedTokenStore
    let settings: @Sendable () -> BrokerSettings
    let catalogue: @Sendable () -> PolicyCatalogue
    let clock: MomentClock
    let lastUsed = AccountLastUsed()

    var cache: TokenCache { store.cache }
    var authority: Authority { store.authority }

    /// The uid's accounts, last used first: people's, for a service's tokens are nobody's account.
    public func list(caller: Caller) async throws -> [AccountSummary] {
        try await every(of: caller.owner.cacheUID).filter { !$0.isService }.map(summary)
            .sorted { $0.lastUsed > $1.lastUsed }
    }

    /// The account with this id.
    public func get(_ id: String, caller: Caller) async throws -> AccountSummary {
        summary(try await person(id, caller))
    }

    /// Makes an account the default of its uid, used if a request names none.
    public func use(_ id: String, caller: Caller) async throws -> AccountSummary {
        let uid = try caller.owner.cacheUID
        _ = try await person(id, caller)
        let used = try await Broker.rows.storing { try await cache.accounts.makeDefault(uid: uid, account: id) }
        guard let used else { throw Broker.noSuchAccount }
        return summary(used)
    }

    /// The row of a person's account of the caller.
    private func person(_ id: String, _ caller: Caller) async throws -> AccountRow {
        let row = try await row(id, caller)
        guard !row.isService else { throw Broker.noSuchAccount }
        return row
    }

    /// The row of an account of the caller.
    func row(_ id: String, _ caller: Caller) async throws -> AccountRow {
        let uid = try caller.owner.cacheUID
        if let row = try await Broker.rows.storing({ try cache.accounts.get(uid: uid, id: id) }) { return row }
        guard let row = store.unkept.accounts(uid: uid, at: clock.now.wall).first(where: { $0.account == id }) else {
            throw Broker.noSuchAccount
        }
        return row
    }

    /// The accounts of a uid, also those of outside authorities whose sign-in the cache could not take.
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

    /// The named account, or the one that is meant.
    ///
    /// - Throws: `account_not_found`, `account_ambiguous`; `interaction_required` if nobody is signed in.
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

    /// The policy of the account's last sign-in, else the default; a policy that only signs up cannot sign in again.
    func usualPolicy(of account: AccountRow?) -> String {
        let last = (account?.lastPolicy).flatMap { try? PolicyID($0) }
        if let last, let policy = catalogue()[last], policy.kind.signsIn { return last.description }
        return settings().defaultPolicy.description
    }

    /// Makes accounts for people who have a live session and no account in the cache.
    ///
    /// A crash lay between the stores, or another daemon of the authority made the session.
    ///
    /// - Parameters:
    ///   - caller: The caller, whose sessions are read.
    ///   - known: The existing accounts.
    /// - Returns: All accounts; nil if none was missing, or a sign-out is still to be done.
    /// - Throws: The error that kept the stores from answering.
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

    /// Records that a token of an account was given out.
    func noteUse(uid: UInt32, account: String) {
        lastUsed.note(.init(uid: uid, account: account), at: clock.now.wall)
    }

    /// Writes the times at which accounts were used last.
    func storeUses() async throws {
        let uses = lastUsed.take().map { AccountUse(uid: $0.key.uid, account: $0.key.account, at: $0.value) }
        try await cache.accounts.noteUses(uses)
    }

    // MARK: Keys of programs

    /// The key of a program's own store for an account of the caller; made at the first call.
    ///
    /// - Parameters:
    ///   - account: The account's id.
    ///   - client: The program.
    ///   - purpose: Tells the stores of one program apart.
    ///   - caller: The caller.
    /// - Returns: 32 bytes.
    /// - Throws: A refusal: no such account, a locked cache, too many keys.
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
    /// The uid whose part of this machine's cache the owner uses.
    ///
    /// - Throws: `notPermitted` for a browser, which keeps its tokens itself.
    var cacheUID: UInt32 {
        get throws(Refusal) {
            switch self {
            case .local(_, let uid): uid
            case .browser: throw Refusal(.notPermitted, Text("refusal.browserHasNoCache"))
            }
        }
    }
}

/// The times of last use of accounts, kept in memory until housekeeping writes them: a cached token needs no write.
final class AccountLastUsed: Sendable {
    /// An account of a uid.
    struct Key: Hashable, Sendable {
        let uid: UInt32
        let account: String
    }

    /// The greatest number of accounts remembered between two writes; uses of others are not recorded.
    static let limit = 10_000

    private let uses = Mutex<[Key: Int64]>([:])

    /// Records a use, in milliseconds since 1970 UTC.
    func note(_ key: Key, at: Int64) {
        uses.withLock { uses in
            guard uses[key] != nil || uses.count < Self.limit else { return }
            uses[key] = max(uses[key] ?? 0, at)
        }
    }

    /// Time of an account's last use that is not written yet; nil if there is none.
    func lastUsed(_ key: Key) -> Int64? { uses.withLock { $0[key] } }

    /// Returns all uses to be written, and forgets them.
    func take() -> [Key: Int64] {
        uses.withLock { uses in
            defer { uses = [:] }
            return uses
        }
    }
}
