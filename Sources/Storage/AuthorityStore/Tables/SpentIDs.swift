import Crypto
import DurableSQLite
import Foundation
import GRDB
import Moments
import OAuth
public import Storage

extension AuthorityStore {
    /// Ids that are used up until the thing they name would end anyway: of assertions, and of revoked access tokens.
    public struct SpentIDs: Sendable {
        let core: Core

        /// The greatest number of ids of one client that are kept at once.
        public static let perClient: Int64 = 50_000

        /// The things that have such an id.
        public enum Kind: String, Hashable, Sendable, CaseIterable {
            /// A client's assertion, good for one use (RFC 7523 §3): its client and its `jti`.
            case assertion
            /// An access token that was revoked (RFC 7009): its `jti`.
            case accessToken
        }

        /// Uses an id up; the row that is inserted decides which of several uses is the first.
        ///
        /// - Parameters:
        ///   - id: The parts of the id.
        ///   - kind: The thing that it names.
        ///   - client: The client whose share it counts for.
        ///   - ends: The end of that thing, in seconds since 1970 UTC.
        ///   - events: The events to record if it was unused.
        /// - Returns: True if it was unused.
        /// - Throws: `limitExceeded` if the client has used up its share; the error that kept the store from writing.
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
                throw StoreError(.limitExceeded, "\(perClient) ids of this client are kept")
            }
            let values: ColumnValues = ["id": key(id, kind), "client": client, "ends": ends]
            return try db.insert(into: "spent_ids", values, onConflict: "(id) DO NOTHING") > 0
        }

        /// True if an id was used up.
        public func isSpent(_ id: String..., of kind: Kind) async throws(StoreError) -> Bool {
            try await core.database.find(isOneStatement: true) { db in try Self.isSpent(db, id, kind) }
        }

        static func isSpent(_ db: Database, _ id: [String], _ kind: Kind) throws -> Bool {
            try db.row("SELECT 1 FROM spent_ids WHERE id = :id", ["id": key(id, kind)]) != nil
        }

        /// Deletes the ids of things that have ended.
        @discardableResult
        public func sweep(limit: Int) async throws(StoreError) -> Int {
            try await core.database.write { db, now in
                try db.sweep("spent_ids", "ends", upTo: now.seconds - Self.leeway, limit: limit)
            }
        }

        /// The tolerance for clients' clocks, in seconds, for which an id is kept beyond its end.
        private static let leeway: Int64 = 120

        /// The key of an id's row.
        static func key(_ id: [String], _ kind: Kind) -> String {
            let parts = ([kind.rawValue] + id).map { "\($0.utf8.count):\($0)" }.joined()
            return Base64URL.encode(Data(SHA256.hash(data: Data(parts.utf8))))
        }
    }
}
