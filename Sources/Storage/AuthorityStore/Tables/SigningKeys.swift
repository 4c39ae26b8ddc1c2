import DurableSQLite
import Foundation
import GRDB
import Moments
import OAuth
public import Storage

extension AuthorityStore {
    /// The table of signing keys.
    public struct SigningKeys: Sendable {
        let core: Core

        /// Returns all keys, sorted by id.
        ///
        /// - Throws: `corrupt` if a key cannot be decrypted, because tokens signed with it can still be in use, or
        ///   another store error.
        public func list() async throws(StoreError) -> [SigningKeyRow] {
            try await core.database.read { db in try db.rows("SELECT * FROM signing_keys ORDER BY id").map(row) }
        }

        /// Replaces all keys and returns the increased epoch, or throws `stale` if it is no longer `expectedEpoch`.
        @discardableResult
        public func replace(
            _ rows: [SigningKeyRow],
            expectedEpoch: Int64,
            events: [AuditEvent] = []
        ) async throws(StoreError) -> Int64 {
            try await core.database.write { db, now in
                try Epoch.require(expectedEpoch, db)
                try db.run("DELETE FROM signing_keys")
                for key in rows { try insert(db, key) }
                try Epoch.raise(db)
                try Audit.append(db, events, at: now)
                return try Epoch.value(db)
            }
        }

        private func insert(_ db: Database, _ key: SigningKeyRow) throws {
            let secret = try key.secret.map { try core.sealing.seal($0.revealBytes(), Self.secret, row: key.kid) }
            try db.insert(
                into: "signing_keys",
                [
                    "id": key.kid, "alg": key.alg, "secret": secret, "jwk": key.jwk, "state": key.state,
                    "published_at": key.publishedAt, "active_from": key.activeFrom, "retired_at": key.retiredAt,
                    "remove_at": key.removeAt,
                ]
            )
        }

        static let secret = SealedColumn("signing_keys", "secret")

        @Sendable private func row(_ row: Row) throws -> SigningKeyRow {
            let kid: String = try row.get("id")
            let secret: Secret?
            do {
                secret = try core.sealing.openIfThere(Self.secret, of: row).map { Secret(bytes: $0) }
            } catch is DamagedRow {
                throw StoreError(.corrupt, "signing key \(kid) cannot be decrypted")
            }
            return SigningKeyRow(
                kid: kid,
                alg: try row.get("alg"),
                secret: secret,
                jwk: try row.get("jwk"),
                state: try row.get("state"),
                publishedAt: try row.get("published_at"),
                activeFrom: try row.get("active_from"),
                retiredAt: try row.optional("retired_at"),
                removeAt: try row.optional("remove_at")
            )
        }
    }
}
