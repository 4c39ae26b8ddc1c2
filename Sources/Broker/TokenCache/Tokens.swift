import DurableSQLite
import Foundation
import GRDB
import Moments
import OAuth
public import Storage

extension TokenCache {
    /// The accounts' access tokens, each with its ID token.
    public struct Tokens: Sendable {
        let core: CacheCore

        /// The maximum number of access tokens per account, beyond which the tokens that expire first are removed.
        public static let perAccount = 64
        static let body = SealedColumn("tokens", "body")

        /// Returns the tokens that match the query, including expired tokens, latest expiry first.
        public func find(_ query: TokenQuery) throws(StoreError) -> [TokenRow] {
            let wanted = Set(query.scopes)
            return try core.rows(of: query.uid, opened) { db in
                let rows =
                    if let account = query.account {
                        try db.rows(
                            """
                            SELECT * FROM tokens WHERE account = :account AND client = :client AND uid = :uid
                            ORDER BY expires_wall DESC
                            """,
                            ["account": account, "client": query.client, "uid": query.uid]
                        )
                    } else {
                        try db.rows(
                            "SELECT * FROM tokens WHERE uid = :uid AND client = :client ORDER BY expires_wall DESC",
                            ["client": query.client, "uid": query.uid]
                        )
                    }
                // Unencrypted columns are compared first, so that only matching rows are decrypted.
                return try rows.filter { row in
                    guard try row.get("authority") == query.authority else { return false }
                    if let policy = query.policy, try row.get("policy") != policy { return false }
                    if let resource = query.resource, try row.get("resource") != resource { return false }
                    return wanted.isSubset(of: try scopes(row))
                }
            }
        }

        /// Returns all access tokens of a uid, or only those of one account if `account` is specified.
        public func list(uid: UInt32, account: String? = nil) throws(StoreError) -> [TokenRow] {
            try core.rows(of: uid, opened) { db in
                if let account {
                    try db.rows(
                        "SELECT * FROM tokens WHERE account = :account AND uid = :uid ORDER BY expires_wall DESC",
                        ["account": account, "uid": uid]
                    )
                } else {
                    try db.rows("SELECT * FROM tokens WHERE uid = :uid ORDER BY expires_wall DESC", ["uid": uid])
                }
            }
        }

        /// Removes a user's access and refresh tokens from the caches of all uids when the user may no longer sign in.
        ///
        /// The accounts are kept. Tokens that were requested before this call and arrive after it are not stored.
        ///
        /// - Returns: The number of removed access tokens.
        @discardableResult
        public func remove(authority: String, subject: String) async throws(StoreError) -> Int {
            try await core.setDamagedAside()
            let person = core.personID(authority: authority, subject: subject)
            let removed = try await core.database.write { db in
                let rows = try db.rows("SELECT id, uid FROM accounts WHERE person = :person", ["person": person])
                return try rows.map { row -> (uid: UInt32, tokens: Int) in
                    let id: String = try row.get("id")
                    let uid: UInt32 = try row.get("uid")
                    try SignOuts(core: core).note(db, uid: uid, .accounts([id]))
                    try db.run("DELETE FROM refresh_tokens WHERE account = :id", ["id": id])
                    return (uid, try db.run("DELETE FROM tokens WHERE account = :id", ["id": id]))
                }
            }
            for uid in Set(removed.map(\.uid)) { core.memory.raise(uid) }
            return removed.reduce(0) { $0 + $1.tokens }
        }

        /// Removes a user's access tokens after the user's claims have changed, but keeps the refresh tokens.
        public func removeAccessTokens(authority: String, subject: String) async throws(StoreError) {
            try await core.setDamagedAside()
            let person = core.personID(authority: authority, subject: subject)
            let uids = try await core.database.write { db in
                try db.rows("SELECT id, uid FROM accounts WHERE person = :person", ["person": person]).map {
                    row -> UInt32 in
                    let id: String = try row.get("id")
                    try db.run("DELETE FROM tokens WHERE account = :id", ["id": id])
                    return try row.get("uid")
                }
            }
            for uid in Set(uids) { core.memory.raise(uid) }
        }

        // MARK: Used by other tables

        func insert(_ db: Database, _ token: TokenRow, account: String) throws {
            let scopes = Set(token.scopes).sorted().joined(separator: " ")
            let id = CacheCore.rowID([account, token.client, token.authority, token.policy, token.resource, scopes])
            try db.insert(
                into: "tokens",
                [
                    "id": id, "uid": token.uid, "account": account, "client": token.client,
                    "authority": token.authority, "policy": token.policy, "resource": token.resource, "scopes": scopes,
                    "body": try core.sealing(of: token.uid).seal(TokenBody(token), as: Self.body, row: id),
                ] + token.expires.columns("expires"),
                onConflict: "(id) DO UPDATE SET body = excluded.body, \(Deadline.excluded("expires"))"
            )
            try db.run(
                """
                DELETE FROM tokens WHERE id IN (
                    SELECT id FROM tokens WHERE account = :account AND id <> :id
                    ORDER BY expires_wall DESC LIMIT 1000000 OFFSET :kept
                )
                """,
                ["account": account, "id": id, "kept": Self.perAccount - 1]
            )
        }

        private func opened(_ row: Row) throws -> TokenRow {
            let body: TokenBody = try core.sealing(of: try row.get("uid")).decode(Self.body, of: row)
            return TokenRow(
                uid: try row.get("uid"),
                account: try row.get("account"),
                client: try row.get("client"),
                authority: try row.get("authority"),
                policy: try row.get("policy"),
                resource: try row.get("resource"),
                scopes: try scopes(row),
                accessToken: Secret(body.accessToken),
                idToken: body.idToken.map { Secret($0) },
                expires: try row.deadline("expires"),
                expiresAt: body.expiresAt,
                acr: body.acr,
                amr: body.amr,
                authTime: body.authTime,
                claims: body.claims,
                username: body.username,
                receivedAt: body.receivedAt
            )
        }

        private func scopes(_ row: Row) throws -> [String] {
            let text: String = try row.get("scopes")
            return text.isEmpty ? [] : text.split(separator: " ").map(String.init)
        }
    }
}

/// The encrypted content of an access token's row.
struct TokenBody: Codable {
    let accessToken: String
    let idToken: String?
    let expiresAt: Int64
    let acr: String
    let amr: [String]
    let authTime: Int64
    let claims: Data
    let username: String
    let receivedAt: Int64?

    init(_ token: TokenRow) {
        accessToken = token.accessToken.reveal()
        idToken = token.idToken?.reveal()
        expiresAt = token.expiresAt
        acr = token.acr
        amr = token.amr
        authTime = token.authTime
        claims = token.claims
        username = token.username
        receivedAt = token.receivedAt
    }
}
