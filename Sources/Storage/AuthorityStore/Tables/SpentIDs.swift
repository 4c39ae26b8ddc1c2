import Crypto
import DurableSQLite
import Foundation
import GRDB
import Moments
import OAuth
public import Storage

extension AuthorityStore {
    /// The ids of used assertions and revoked access tokens, stored until the assertion or token expires.
    public struct SpentIDs: Sendable {
        let core: Core

        /// The maximum number of stored ids per client.
        public static let perClient: Int64 = 50_000

        /// The kinds of ids.
        public enum Kind: String, Hashable, Sendable, CaseIterable {
            /// A client assertion, which can be used once (RFC 7523 §3), identified by the client and the `jti`.
            case assertion
            /// A revoked access token (RFC 7009), identified by its `jti`.
            case accessToken
        }

        /// Marks an id as used until `ends`, in seconds since 1970 UTC, and returns whether the id was unused before.
        ///
        /// Of several attempts, only the first succeeds, and only its events are recorded.
        ///
        /// - Throws: `limitExceeded` if the maximum number of ids is already stored for the client.
        public func spend(
            _ id: String...,
            of kind: Kind,
            by client: String,
            until ends: Int64,
            events: [AuditEvent] = []
        ) async throws(StoreError) -> Bool {
            try await core.database.write { db, now in
                let isFirst = try Self.spend(db, id, of: kind, by: client, until: ends)
                if isFirst { try Audit.append(db, events, at: now) }
                return isFirst
            }
        }

        static func spend(
            _ db: Database,
            _ id: [String],
            of kind: Kind,
            by client: String,
            until ends: Int64
        ) throws -> Bool {
            let kept = try db.number("SELECT count(*) FROM spent_ids WHERE client = :client", ["client": client])
            guard kept < perClient else {
                throw StoreError(.limitExceeded, "\(perClient) ids of this client are stored")
            }
            let values: ColumnValues = ["id": key(id, kind), "client": client, "ends": ends]
            return try db.insert(into: "spent_ids", values, onConflict: "(id) DO NOTHING") > 0
        }

        /// Whether an id was marked as used.
        public func isSpent(_ id: String..., of kind: Kind) async throws(StoreError) -> Bool {
            try await core.database.find(isOneStatement: true) { db in try Self.isSpent(db, id, kind) }
        }

        static func isSpent(_ db: Database, _ id: [String], _ kind: Kind) throws -> Bool {
            try db.row("SELECT 1 FROM spent_ids WHERE id = :id", ["id": key(id, kind)]) != nil
        }

        /// Deletes the ids of expired assertions and tokens.
        @discardableResult
        public func sweep(limit: Int) async throws(StoreError) -> Int {
            try await core.database.write { db, now in
                try db.sweep("spent_ids", "ends", upTo: now.seconds - Self.leeway, limit: limit)
            }
        }

        /// The number of seconds that an id is stored after its expiry, because clients' clocks can differ.
        private static let leeway: Int64 = 120

        static func key(_ id: [String], _ kind: Kind) -> String {
            let parts = ([kind.rawValue] + id).map { "\($0.utf8.count):\($0)" }.joined()
            return Base64URL.encode(Data(SHA256.hash(data: Data(parts.utf8))))
        }
    }
}
