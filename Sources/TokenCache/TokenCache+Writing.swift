import DurableSQLite
import Foundation
import GRDB
import Moments
import OAuth
public import Storage

extension TokenCache {
    /// Writes an account with the tokens that were issued for it, in one transaction.
    ///
    /// - Parameters:
    ///   - unit: The account and tokens.
    ///   - expectedGeneration: The ``signOutGeneration(uid:)`` from before the tokens were requested; nil if sign-outs
    ///     are not to be checked.
    /// - Returns: The account as it is now.
    /// - Throws: `signedOut` if the account, or everybody of the uid, was signed out since; nothing is written then.
    @discardableResult
    public func store(_ unit: StoreUnit, expectedGeneration: Int64?) async throws(StoreError) -> AccountRow {
        try await setDamagedAside()
        let now = clock.now
        let uid = unit.account.uid
        let id = accountID(uid: uid, authority: unit.account.authority, subject: unit.account.subject)
        let account = try await database.write { db in
            if let expectedGeneration, try Self.isSignedOut(db, uid, id, since: expectedGeneration) {
                throw StoreError(.signedOut, "the account was signed out meanwhile")
            }
            try upsert(db, unit.account, id: id, at: now)
            if let token = unit.token { try insert(db, token, account: id) }
            if let token = unit.refreshToken { try insert(db, token, uid: uid, account: id) }
            guard let row = try self.account(db, uid: uid, id: id) else {
                throw StoreError(.corrupt, "an account does not open")
            }
            return row
        }
        memory.raise(uid)
        return account
    }

    /// Makes an account the default of its uid, used if a request names none.
    ///
    /// - Returns: The account as it is now; nil if the uid has no such account.
    public func makeDefault(uid: UInt32, account id: String) async throws(StoreError) -> AccountRow? {
        try await setDamagedAside()
        let account = try await database.write { db -> AccountRow? in
            guard try self.account(db, uid: uid, id: id) != nil else { return nil }
            try db.run("UPDATE accounts SET is_default = 0 WHERE uid = :uid AND is_default = 1", ["uid": uid])
            try db.run("UPDATE accounts SET is_default = 1 WHERE id = :id AND uid = :uid", ["id": id, "uid": uid])
            return try self.account(db, uid: uid, id: id)
        }
        memory.raise(uid)
        return account
    }

    /// Removes the grant of a policy to a client: its refresh token and its access tokens.
    public func forgetGrant(
        uid: UInt32,
        account: String,
        client: String,
        policy: String
    ) async throws(StoreError) {
        let id = Self.rowID([account, client, policy])
        try await database.write { db in
            try db.run("DELETE FROM refresh_tokens WHERE id = :id AND uid = :uid", ["id": id, "uid": uid])
            try db.run(
                """
                DELETE FROM tokens WHERE account = :account AND client = :client AND uid = :uid AND policy = :policy
                """,
                ["account": account, "client": client, "uid": uid, "policy": policy]
            )
        }
        memory.raise(uid)
    }

    /// Records when accounts were last used; no answer changes by it, so no generation does.
    public func noteUses(_ uses: [AccountUse]) async throws(StoreError) {
        guard !uses.isEmpty else { return }
        try await database.write { db in
            for use in uses {
                try db.run(
                    "UPDATE accounts SET last_used = :at WHERE id = :id AND uid = :uid AND last_used < :at",
                    ["at": use.at, "id": use.account, "uid": use.uid]
                )
            }
        }
    }

    /// Removes the tokens of a person who may no longer sign in, of every uid; the accounts stay.
    ///
    /// Tokens that are being requested meanwhile are not stored, as after a sign-out.
    ///
    /// - Parameters:
    ///   - authority: The authority.
    ///   - subject: The person's id there.
    /// - Returns: The number of access tokens removed.
    /// - Throws: The error that kept the cache from writing; nothing is removed then.
    @discardableResult
    public func removeTokens(authority: String, subject: String) async throws(StoreError) -> Int {
        try await setDamagedAside()
        let person = personID(authority: authority, subject: subject)
        let removed = try await database.write { db in
            let rows = try db.rows("SELECT id, uid FROM accounts WHERE person = :person", ["person": person])
            return try rows.map { row -> (uid: UInt32, tokens: Int) in
                let id: String = try row.get("id")
                let uid: UInt32 = try row.get("uid")
                try noteSignOut(db, uid: uid, .accounts([id]))
                try db.run("DELETE FROM refresh_tokens WHERE account = :id", ["id": id])
                return (uid, try db.run("DELETE FROM tokens WHERE account = :id", ["id": id]))
            }
        }
        for uid in Set(removed.map(\.uid)) { memory.raise(uid) }
        return removed.reduce(0) { $0 + $1.tokens }
    }

    /// Removes a person's access tokens because claims in them have changed; they are renewed without asking the
    /// person.
    public func removeAccessTokens(authority: String, subject: String) async throws(StoreError) {
        try await setDamagedAside()
        let person = personID(authority: authority, subject: subject)
        let uids = try await database.write { db in
            try db.rows("SELECT id, uid FROM accounts WHERE person = :person", ["person": person]).map {
                row -> UInt32 in
                let id: String = try row.get("id")
                try db.run("DELETE FROM tokens WHERE account = :id", ["id": id])
                return try row.get("uid")
            }
        }
        for uid in Set(uids) { memory.raise(uid) }
    }

    /// Deletes a sign-out that the authorities have done.
    public func completed(_ ticket: SignOutTicket) async throws(StoreError) {
        try await database.write { db in
            try db.run("DELETE FROM pending_sign_outs WHERE id = :id", ["id": ticket.id])
        }
    }

    /// Deletes tokens that have ended, and sets aside rows that do not open.
    ///
    /// - Parameter limit: The greatest number of rows of each kind.
    /// - Returns: The number of rows deleted.
    /// - Throws: The error that kept the cache from writing.
    @discardableResult
    public func sweep(limit: Int) async throws(StoreError) -> Int {
        try await setDamagedAside()
        let now = clock.now
        return try await database.write { db in
            try ["tokens", "refresh_tokens"].reduce(0) { count, table in
                try count
                    + db.run(
                        """
                        DELETE FROM \(table) WHERE id IN (
                            SELECT id FROM \(table) WHERE expires_wall <= :wall LIMIT :limit
                        )
                        """,
                        ["wall": now.wall, "limit": limit]
                    )
            }
        }
    }

    func setDamagedAside() async throws(StoreError) {
        for damage in memory.takeDamaged() where isDamaged(damage) { try await database.setAside(damage) }
    }

    private func upsert(_ db: Database, _ new: AccountUpsert, id: String, at now: Moment) throws {
        let old = try account(db, uid: new.uid, id: id)
        if old == nil {
            let count = try db.number("SELECT count(*) FROM accounts WHERE uid = :uid", ["uid": new.uid])
            guard count < Self.accountsPerUID else {
                throw StoreError(.limitExceeded, "\(Self.accountsPerUID) accounts of this uid are cached")
            }
        }
        let body = AccountBody(
            subject: new.subject,
            username: new.username,
            displayName: new.displayName,
            policies: Array(Set(old?.policies ?? []).union([new.policy])).sorted(),
            lastPolicy: new.policy
        )
        try db.run(
            """
            INSERT INTO accounts (id, uid, authority, person, body, last_used, created_at)
            VALUES (:id, :uid, :authority, :person, :body, :at, :at)
            ON CONFLICT (id) DO UPDATE SET body = excluded.body,
                last_used = CASE WHEN excluded.last_used > accounts.last_used THEN excluded.last_used
                    ELSE accounts.last_used END
            """,
            [
                "id": id, "uid": new.uid, "authority": new.authority, "at": now.wall,
                "person": personID(authority: new.authority, subject: new.subject),
                "body": try sealing(of: new.uid).seal(body, as: Self.accountBody, row: id),
            ]
        )
    }

    private func insert(_ db: Database, _ token: TokenRow, account: String) throws {
        let scopes = Set(token.scopes).sorted().joined(separator: " ")
        let id = Self.rowID([account, token.client, token.authority, token.policy, token.resource, scopes])
        try db.run(
            """
            INSERT INTO tokens (id, uid, account, client, authority, policy, resource, scopes, body, expires_wall,
                expires_boot, expires_boot_id)
            VALUES (:id, :uid, :account, :client, :authority, :policy, :resource, :scopes, :body, :expires_wall,
                :expires_boot, :expires_boot_id)
            ON CONFLICT (id) DO UPDATE SET body = excluded.body, expires_wall = excluded.expires_wall,
                expires_boot = excluded.expires_boot, expires_boot_id = excluded.expires_boot_id
            """,
            [
                "id": id, "uid": token.uid, "account": account, "client": token.client,
                "authority": token.authority, "policy": token.policy, "resource": token.resource, "scopes": scopes,
                "body": try sealing(of: token.uid).seal(TokenBody(token), as: Self.tokenBody, row: id),
            ] + token.expires.arguments("expires")
        )
        try db.run(
            """
            DELETE FROM tokens WHERE id IN (
                SELECT id FROM tokens WHERE account = :account AND id <> :id
                ORDER BY expires_wall DESC LIMIT 1000000 OFFSET :kept
            )
            """,
            ["account": account, "id": id, "kept": Self.tokensPerAccount - 1]
        )
    }

    private func insert(_ db: Database, _ token: RefreshTokenRow, uid: UInt32, account: String) throws {
        let id = Self.rowID([account, token.client, token.policy])
        try db.run(
            """
            INSERT INTO refresh_tokens (id, uid, account, client, policy, token, expires_wall, expires_boot,
                expires_boot_id)
            VALUES (:id, :uid, :account, :client, :policy, :token, :expires_wall, :expires_boot, :expires_boot_id)
            ON CONFLICT (id) DO UPDATE SET token = excluded.token, expires_wall = excluded.expires_wall,
                expires_boot = excluded.expires_boot, expires_boot_id = excluded.expires_boot_id
            """,
            [
                "id": id, "uid": uid, "account": account, "client": token.client, "policy": token.policy,
                "token": try sealing(of: uid).seal(token.token.revealBytes(), Self.refreshToken, row: id),
            ] + token.expires.arguments("expires")
        )
    }
}
