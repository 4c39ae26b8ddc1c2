import DurableSQLite
public import Foundation
import GRDB
public import Moments
public import Storage

extension AuthorityStore {
    /// The browsers that were sent to an identity provider, identified by the `state` with which they return.
    public struct Departures: Sendable {
        let core: Core

        /// Records that a browser is being sent to an identity provider.
        ///
        /// `hash` and `browser` are SHA-256 of the `state` and the browser's cookie. `body` is stored encrypted.
        public func insert(_ hash: String, browser: String, body: Data, expires: Deadline) async throws(StoreError) {
            try await core.database.write { db in
                try db.insert(
                    into: "departures",
                    ["hash": hash, "browser": browser, "body": try core.sealing.seal(body, Self.body, row: hash)]
                        + expires.columns("expires"),
                    onConflict: "(hash) DO UPDATE SET browser = excluded.browser, body = excluded.body"
                )
            }
        }

        /// Removes this browser's unexpired departure and returns its body, or `nil` if there is none or it was used.
        public func take(_ hash: String, browser: String) async throws(StoreError) -> Data? {
            try await core.database.write { db, now in
                let row = try db.row(
                    """
                    DELETE FROM departures WHERE hash = :hash AND browser = :browser AND expires_wall > :wall
                        AND NOT (expires_boot_id = :boot_id AND expires_boot <= :boot)
                    RETURNING body
                    """,
                    now.arguments + ["hash": hash, "browser": browser]
                )
                return try row.map { try core.sealing.open(try $0.get("body"), Self.body, row: hash) }
            }
        }

        /// Deletes expired departures.
        @discardableResult
        public func sweep(limit: Int) async throws(StoreError) -> Int {
            try await core.sweep("departures", by: "hash", limit: limit)
        }

        static let body = SealedColumn("departures", key: "hash", "body")
    }
}
