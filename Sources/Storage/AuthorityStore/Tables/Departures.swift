import DurableSQLite
public import Foundation
import GRDB
public import Moments
public import Storage

extension AuthorityStore {
    /// The browsers that are on their way to a provider outside, by the state that they bring back.
    public struct Departures: Sendable {
        let core: Core

        /// Keeps a departure.
        ///
        /// - Parameters:
        ///   - hash: SHA-256 of the state.
        ///   - browser: SHA-256 of the cookie of the browser.
        ///   - body: The rest; sealed.
        ///   - expires: The end of its life.
        /// - Throws: The error that kept the store from writing.
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

        /// Takes a departure away, if this browser made it and its life has not ended: the row that goes decides, so that
        /// a state is good for one return.
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

        /// Deletes departures whose life has ended.
        @discardableResult
        public func sweep(limit: Int) async throws(StoreError) -> Int {
            try await core.sweep("departures", by: "hash", limit: limit)
        }

        static let body = SealedColumn("departures", key: "hash", "body")
    }
}
