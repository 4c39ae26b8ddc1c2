import DurableSQLite
public import Foundation
import GRDB
public import Moments
import Origins
public import Storage

extension AuthorityStore {
    /// The pushed authorization requests (RFC 9126), each good for one use.
    public struct PushedRequests: Sendable {
        let core: Core

        /// The greatest number of requests that wait at once.
        public static let greatestNumber = 8_192
        /// The greatest number of requests of one origin that wait at once.
        public static let perOrigin = 256

        /// Keeps a request.
        ///
        /// - Parameters:
        ///   - request: The request.
        ///   - share: The one whose share of all requests it takes.
        /// - Throws: `limitExceeded` if that one, or all together, have too many.
        public func add(_ request: PushedRequestRow, share: RequestShare) async throws(StoreError) {
            try await core.database.write { db, now in
                let bounds = RequestBounds(
                    table: "pushed_requests",
                    all: Self.greatestNumber,
                    perOrigin: Self.perOrigin,
                    isUnanswered: "true"
                )
                let place = try bounds.admit(db, share, client: request.client, core, at: now)
                try db.insert(
                    into: "pushed_requests",
                    [
                        "hash": request.hash, "origin": place.levels.origin, "client": request.client,
                        "policy": request.policy, "tenant": core.tenant,
                        "body": try core.sealing.seal(request.body, Self.body, row: request.hash),
                    ] + place.columns + request.expires.columns("expires")
                )
            }
        }

        /// Takes a request, so that nobody takes it again.
        ///
        /// The row that the one statement returns decides: of several requests at once one has it.
        ///
        /// - Parameters:
        ///   - hash: The hash of its reference.
        ///   - client: The client that must have pushed it.
        ///   - policy: The policy at which it must have been pushed.
        /// - Returns: The request; nil if there is none, or it was used, or its life has ended.
        /// - Throws: The error that kept the store from writing.
        public func take(_ hash: String, client: String, policy: String) async throws(StoreError) -> PushedRequestRow? {
            try await core.database.write { db, now in
                let row = try db.row(
                    """
                    DELETE FROM pushed_requests
                    WHERE hash = :hash AND client = :client AND policy = :policy AND \(Tenancy.condition)
                    RETURNING *
                    """,
                    ["hash": hash, "client": client, "policy": policy] + core.tenancy
                )
                guard let row, try !row.deadline("expires").hasEnded(at: now) else { return nil }
                return PushedRequestRow(
                    hash: hash,
                    client: client,
                    policy: policy,
                    body: try core.sealing.open(Self.body, of: row),
                    expires: try row.deadline("expires")
                )
            }
        }

        /// Deletes requests whose life has ended.
        @discardableResult
        public func sweep(limit: Int) async throws(StoreError) -> Int {
            try await core.sweep("pushed_requests", by: "hash", limit: limit)
        }

        static let body = SealedColumn("pushed_requests", key: "hash", "body")
    }
}

/// An authorization request that a client left at the authority, to be named by its `request_uri` (RFC 9126).
public struct PushedRequestRow: Hashable, Sendable {
    /// SHA-256 of the reference, in base64url.
    public let hash: String
    /// The client that pushed it.
    public let client: String
    /// The policy at which it was pushed.
    public let policy: String
    /// The parameters, as the authority encodes them; sealed.
    public let body: Data
    /// The end of its life.
    public let expires: Deadline

    /// A pushed request.
    public init(hash: String, client: String, policy: String, body: Data, expires: Deadline) {
        self.hash = hash
        self.client = client
        self.policy = policy
        self.body = body
        self.expires = expires
    }
}
