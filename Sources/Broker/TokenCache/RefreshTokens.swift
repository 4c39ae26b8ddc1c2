import DurableSQLite
import Foundation
import GRDB
import Moments
import OAuth
public import Storage

extension TokenCache {
    /// The newest refresh token for each account, client and policy.
    public struct RefreshTokens: Sendable {
        let core: CacheCore

        static let token = SealedColumn("refresh_tokens", "token")

        /// Returns an account's newest refresh token for a client and policy, or `nil` if there is none.
        public func get(
            uid: UInt32,
            account: String,
            client: String,
            policy: String
        ) throws(StoreError) -> RefreshTokenRow? {
            let id = CacheCore.rowID([account, client, policy])
            return try core.rows(of: uid, opened) { db in
                try db.rows("SELECT * FROM refresh_tokens WHERE id = :id AND uid = :uid", ["id": id, "uid": uid])
            }.first
        }

        private func opened(_ row: Row) throws -> RefreshTokenRow {
            RefreshTokenRow(
                client: try row.get("client"),
                policy: try row.get("policy"),
                token: Secret(bytes: try core.sealing(of: try row.get("uid")).open(Self.token, of: row)),
                expires: try row.deadline("expires")
            )
        }

        /// Removes `spent`, which the authority no longer accepts, unless a newer refresh token is already stored.
        public func remove(
            uid: UInt32,
            account: String,
            _ spent: RefreshTokenRow
        ) async throws(StoreError) {
            let sealing = try core.sealing(of: uid)
            let id = CacheCore.rowID([account, spent.client, spent.policy])
            try await core.database.write { db in
                let row = try db.row(
                    "SELECT * FROM refresh_tokens WHERE id = :id AND uid = :uid",
                    ["id": id, "uid": uid]
                )
                guard let row, try Secret(bytes: sealing.open(Self.token, of: row)) == spent.token
                else { return }
                try db.run("DELETE FROM refresh_tokens WHERE id = :id AND uid = :uid", ["id": id, "uid": uid])
            }
        }

        // MARK: Used by other tables

        func insert(_ db: Database, _ token: RefreshTokenRow, uid: UInt32, account: String) throws {
            let id = CacheCore.rowID([account, token.client, token.policy])
            try db.insert(
                into: "refresh_tokens",
                [
                    "id": id, "uid": uid, "account": account, "client": token.client, "policy": token.policy,
                    "token": try core.sealing(of: uid).seal(token.token.revealBytes(), Self.token, row: id),
                ] + token.expires.columns("expires"),
                onConflict: "(id) DO UPDATE SET token = excluded.token, \(Deadline.excluded("expires"))"
            )
        }
    }
}
