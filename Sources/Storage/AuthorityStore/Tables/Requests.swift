import DurableSQLite
public import FlowModel
import Foundation
import GRDB
import Moments
public import Storage

/// A request and the authentication that satisfies it.
public struct MetRequest: Hashable, Sendable {
    /// The waiting request.
    public let request: PendingRequest
    /// How the user authenticated.
    public let authentication: Authentication

    /// Creates a request with its authentication.
    public init(request: PendingRequest, authentication: Authentication) {
        self.request = request
        self.authentication = authentication
    }
}

extension AuthorityStore {
    /// The requests that are waiting for flows, each with the authentication that a flow stored for it.
    public struct Requests: Sendable {
        let core: Core

        /// Reads the authentication that a flow stored for this request, without marking it as used.
        ///
        /// - Throws: `notFound` if there is none, `consumed` if it was already used, or `expired` if it was not used in
        ///   time.
        public func peek(_ id: String, owner: Owner) async throws(StoreError) -> MetRequest {
            let now = core.clock.now
            return try await core.database.find { db in try met(db, id, owner: owner, at: now) }
        }

        /// Reads a request that is still waiting for its flow, or whose authentication has not been used yet.
        ///
        /// - Throws: `notFound` if the request does not exist, or `consumed` if its authentication was already used.
        public func waiting(_ id: String, owner: Owner) async throws(StoreError) -> PendingRequest {
            try await core.database.find(isOneStatement: true) { db in
                try pending(try require(db, id, owner: owner), id, owner: owner)
            }
        }

        func insert(_ db: Database, _ request: PendingRequest) throws {
            try db.insert(
                into: "requests",
                [
                    "id": request.id, "owner": request.owner.key, "consumed": false,
                    "client": request.client, "policy": request.policy, "tenant": core.tenant,
                    "body": try core.sealing.seal(request.body, Self.body, row: request.id),
                ] + request.expires.columns("expires")
            )
        }

        func meet(
            _ db: Database,
            _ id: String,
            owner: Owner,
            by authentication: Authentication,
            at now: Moment
        ) throws {
            let row = try require(db, id, owner: owner)
            guard try !row.deadline("expires").hasEnded(at: now) else {
                throw StoreError(.expired, "the request has ended")
            }
            try db.run(
                """
                UPDATE requests SET authentication = :authentication, user_id = :user, \(Deadline.assignments("met"))
                WHERE id = :id
                """,
                [
                    "id": id, "user": authentication.user.oid,
                    "authentication": try core.sealing.write(authentication, as: Self.authentication, row: id),
                ] + Deadline(FlowTable.authenticationLife, after: now).arguments("met")
            )
        }

        /// Deletes an owner's unused authentications, limited to one user if `user` is given, so they grant no tokens.
        static func forget(_ db: Database, owner: Owner, user: UserID?) throws {
            try db.run(
                "DELETE FROM requests WHERE \(OwnerSelection.condition(user)) AND consumed = 0",
                OwnerSelection.arguments(owner, user)
            )
        }

        static func forget(_ db: Database, user: UserID) throws {
            try db.run("DELETE FROM requests WHERE user_id = :user AND consumed = 0", ["user": user.oid])
        }

        func consume(_ db: Database, _ id: String, owner: Owner, at now: Moment) throws -> MetRequest {
            let met = try met(db, id, owner: owner, at: now)
            let used = try db.run("UPDATE requests SET consumed = 1 WHERE id = :id AND consumed = 0", ["id": id])
            guard used > 0 else { throw StoreError(.consumed, "the authentication was used") }
            return met
        }

        private func require(_ db: Database, _ id: String, owner: Owner) throws -> Row {
            let row = try db.row(
                "SELECT * FROM requests WHERE id = :id AND owner = :owner AND \(Tenancy.condition)",
                ["id": id, "owner": owner.key] + core.tenancy
            )
            guard let row else { throw StoreError(.notFound, "there is no such request") }
            guard try row.get("consumed") == 0 else { throw StoreError(.consumed, "the authentication was used") }
            return row
        }

        private func met(_ db: Database, _ id: String, owner: Owner, at now: Moment) throws -> MetRequest {
            let row = try require(db, id, owner: owner)
            guard let _: Data = try row.optional("authentication") else {
                throw StoreError(.notFound, "no flow has satisfied the request")
            }
            guard try !row.deadline("met").hasEnded(at: now) else {
                throw StoreError(.expired, "the authentication was not used in time")
            }
            return MetRequest(
                request: try pending(row, id, owner: owner),
                authentication: try core.sealing.read(Self.authentication, of: row)
            )
        }

        private func pending(_ row: Row, _ id: String, owner: Owner) throws -> PendingRequest {
            PendingRequest(
                id: id,
                owner: owner,
                client: try row.get("client"),
                policy: try row.get("policy"),
                body: try core.sealing.open(Self.body, of: row),
                expires: try row.deadline("expires")
            )
        }

        static let body = SealedColumn("requests", "body")
        static let authentication = SealedColumn("requests", "authentication")
    }
}
