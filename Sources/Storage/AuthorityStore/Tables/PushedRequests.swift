import DurableSQLite
public import Foundation
import GRDB
public import Moments
import Origins
public import Storage

extension AuthorityStore {
    /// The pushed authorization requests, each of which can be used once (RFC 9126).
    public struct PushedRequests: Sendable {
        let core: Core

        /// The maximum number of waiting requests.
        public static let greatestNumber = 8_192
        /// The maximum number of waiting requests per origin.
        public static let perOrigin = 256

        /// Stores a request, or throws `limitExceeded` if the limit for `share` or the total limit is reached.
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

        /// Removes and returns the client's request for a policy, or returns `nil` if there is none or it was taken.
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

        /// Deletes expired requests.
        @discardableResult
        public func sweep(limit: Int) async throws(StoreError) -> Int {
            try await core.sweep("pushed_requests", by: "hash", limit: limit)
        }

        static let body = SealedColumn("pushed_requests", key: "hash", "body")
    }
}

/// An authorization request that a client pushed and refers to by `request_uri` (RFC 9126).
public struct PushedRequestRow: Hashable, Sendable {
    /// The SHA-256 hash of the reference to the request, in base64url.
    public let hash: String
    /// The `client_id` of the client that pushed the request.
    public let client: String
    /// The policy for which the request was pushed.
    public let policy: String
    /// The request's parameters, which the authority encodes and the store encrypts.
    public let body: Data
    /// When the request expires.
    public let expires: Deadline

    /// Creates a pushed request.
    public init(hash: String, client: String, policy: String, body: Data, expires: Deadline) {
        self.hash = hash
        self.client = client
        self.policy = policy
        self.body = body
        self.expires = expires
    }
}
