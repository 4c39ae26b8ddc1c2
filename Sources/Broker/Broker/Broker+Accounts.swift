public import FlowModel
import Moments
import StoreRefusals
import TokenCache

extension Broker {
    /// The uid's accounts, last used first: people's, for a service's tokens are nobody's account.
    public func accounts(caller: Caller) async throws -> [AccountSummary] {
        try await everyAccount(of: caller.owner.cacheUID).filter { !$0.isService }.map(answer)
            .sorted { $0.lastUsed > $1.lastUsed }
    }

    /// The account with this id.
    public func account(_ id: String, caller: Caller) async throws -> AccountSummary {
        answer(try await person(id, caller))
    }

    /// Makes an account the default of its uid, used if a request names none.
    public func use(_ id: String, caller: Caller) async throws -> AccountSummary {
        let uid = try caller.owner.cacheUID
        _ = try await person(id, caller)
        let used: AccountRow?
        do {
            used = try await cache.accounts.makeDefault(uid: uid, account: id)
        } catch {
            throw Self.rows.refusal(error)
        }
        guard let used else { throw Self.noSuchAccount }
        return answer(used)
    }

    /// The uid's cached tokens, without the tokens; ended ones are left out.
    public func tokens(account: String?, caller: Caller) async throws -> [TokenSummary] {
        if let account { _ = try await row(account, caller) }
        let now = clock.now
        return try await Self.rows.storing { try cache.tokens.list(uid: caller.owner.cacheUID, account: account) }
            .filter { !$0.expires.hasEnded(at: now) }
            .map(TokenSummary.init)
    }

    /// Begins to tell the caller of changes to its tokens and accounts.
    ///
    /// - Parameters:
    ///   - account: The only account that it asks about.
    ///   - caller: The caller.
    /// - Returns: The subscription, which ends when nobody holds it any more.
    /// - Throws: `account_not_found`, `locked`, `storage_failed`.
    public func subscribe(account: String?, caller: Caller) async throws -> TokenSubscription {
        if let account { _ = try await row(account, caller) }
        let subscription = try await Self.rows.storing {
            try watch.subscribe(uid: caller.owner.cacheUID, account: account)
        }
        guard let subscription else { throw Self.locked }
        return subscription
    }

    /// The row of a person's account of the caller.
    private func person(_ id: String, _ caller: Caller) async throws -> AccountRow {
        let row = try await row(id, caller)
        guard !row.isService else { throw Self.noSuchAccount }
        return row
    }

    /// The row of an account of the caller.
    func row(_ id: String, _ caller: Caller) async throws -> AccountRow {
        let uid = try caller.owner.cacheUID
        if let row = try await Self.rows.storing({ try cache.accounts.get(uid: uid, id: id) }) { return row }
        guard let row = kept.unkept.accounts(uid: uid, at: clock.now.wall).first(where: { $0.account == id }) else {
            throw Self.noSuchAccount
        }
        return row
    }

    /// The accounts of a uid, also those of outside authorities whose sign-in the cache could not take.
    func everyAccount(of uid: UInt32) async throws -> [AccountRow] {
        let rows = try await Self.rows.storing { try cache.accounts.list(uid: uid) }
        let held = kept.unkept.accounts(uid: uid, at: clock.now.wall)
        return rows + held.filter { account in !rows.contains { $0.account == account.account } }
    }

    /// The refusal of an account that is not the caller's, even if another uid has it.
    static let noSuchAccount = Refusal(.accountNotFound, "there is no such account")

    private func answer(_ row: AccountRow) -> AccountSummary {
        AccountSummary(
            account: row.account,
            username: row.username,
            displayName: row.displayName ?? row.username,
            authority: row.authority,
            policies: row.policies,
            lastUsed: max(row.lastUsed, accountUses.lastUsed(.init(uid: row.uid, account: row.account)) ?? 0),
            isDefault: row.isDefault
        )
    }
}
