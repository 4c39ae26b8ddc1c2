import DurableSQLite
public import FlowModel
import Foundation
import GRDB
public import Moments
public import OAuth
public import Storage

extension AuthorityStore {
    /// The table of refresh-token families.
    public struct Families: Sendable {
        let core: Core

        /// The maximum number of families per owner, user, client and policy, beyond which the oldest are revoked.
        public static let greatestNumber = 16
        /// The maximum number of valid families per owner, beyond which the least recently renewed is revoked.
        public static let mostLive = 1_024
        /// The maximum number of revoked families stored per owner, beyond which those revoked first are deleted.
        public static let mostRevoked = 64

        /// A presented refresh token.
        public struct Presentation: Hashable, Sendable {
            /// The family as it was stored when the token was verified.
            public let family: FamilyRow
            /// The token's number in the family.
            public let counter: Int64
            /// The owner that presents the token.
            public let holder: Owner
            /// When the token's successor expires, unless the family expires earlier.
            public let successorEnds: Deadline
            /// The API scopes of the access token that is issued with the successor, as `<api>/<scope>`.
            public let scopes: [String]
            /// How long after its rotation the token can be presented again.
            public let grace: Duration
            /// The store's epoch on which the caller's decision is based, or `nil` if it does not depend on the epoch.
            public let expectedEpoch: Int64?
            /// The correlation id, which also appears in the response, the log and the audit log.
            public let correlationID: CorrelationID

            /// Creates the description of a presented token.
            public init(
                family: FamilyRow,
                counter: Int64,
                holder: Owner,
                successorEnds: Deadline,
                scopes: [String] = [],
                grace: Duration = .zero,
                expectedEpoch: Int64? = nil,
                correlationID: CorrelationID
            ) {
                self.family = family
                self.counter = counter
                self.holder = holder
                self.successorEnds = successorEnds
                self.scopes = scopes
                self.grace = grace
                self.expectedEpoch = expectedEpoch
                self.correlationID = correlationID
            }
        }

        /// Returns this tenant's family with this id, even if the family was revoked, or `nil` if there is none.
        public func get(_ id: String) async throws(StoreError) -> FamilyRow? {
            try await core.database.find(isOneStatement: true) { db in try find(db, id) }
        }

        /// The stored data about a valid access token's family and user.
        public struct Standing: Hashable, Sendable {
            /// The owner of the family.
            public let owner: Owner
            /// The user of the family.
            public let user: UserRecord
            /// The granted scopes as the client spelled them.
            public let spelledScopes: [String]
            /// How the user authenticated.
            public let authentication: Authentication
        }

        /// Returns the data about an access token's family and user, or `nil` if the token is no longer valid.
        ///
        /// `token` is its `jti`. It is invalid if it or `family` is revoked, or if the user is disabled, or if
        /// the family or the user no longer exists.
        public func standing(of token: String, in family: String) async throws(StoreError) -> Standing? {
            try await core.database.find(isOneStatement: true) { db in
                try db.row(
                    """
                    SELECT \(Users.columns), families.owner, families.spelled_scopes, families.authentication
                    FROM families JOIN users ON users.id = families.user_id
                    WHERE families.id = :family AND families.revoked_at IS NULL AND users.enabled = 1
                        AND NOT EXISTS (SELECT 1 FROM spent_ids WHERE spent_ids.id = :token)
                    """,
                    ["family": family, "token": SpentIDs.key([token], .accessToken)]
                ) { row in
                    Standing(
                        owner: try row.owner(),
                        user: try Users(core: core).record(row),
                        spelledScopes: try Self.spelledScopes(row),
                        authentication: try core.sealing.recall(
                            Authentication.self,
                            try row.get("authentication"),
                            as: Self.authentication,
                            row: family
                        )
                    )
                }
            }
        }

        /// Returns an owner's unrevoked families in this tenant, limited to one user if `user` is given.
        public func list(owner: Owner, user: UserID? = nil) async throws(StoreError) -> [FamilyRow] {
            try await core.database.read { db in
                try db.rows(
                    """
                    SELECT * FROM families WHERE \(OwnerSelection.condition(user)) AND revoked_at IS NULL
                        AND \(Tenancy.condition)
                    ORDER BY created_at
                    """,
                    OwnerSelection.arguments(owner, user) + core.tenancy
                ).map(row)
            }
        }

        /// Rotates or rejects a refresh token whose MAC has already been verified.
        ///
        /// Of several concurrent attempts, only the first gives the token a successor. While the successor is unused,
        /// a local program that presents the previous token again gets the same successor, because the response was
        /// probably lost. Over HTTP, this holds only during the grace period and for no additional scopes, because the
        /// sender is unknown. Anything else counts as reuse, as does any older token. Reuse, or a token presented by
        /// another owner, revokes the family (RFC 9700 §4.14.2), and is recorded.
        ///
        /// - Throws: `stale` if the epoch has changed since the caller's decision, or another store error.
        public func rotate(
            _ presentation: Presentation,
            events: [AuditEvent] = []
        ) async throws(StoreError) -> Rotation {
            try await core.database.write { db, now in
                if let epoch = presentation.expectedEpoch { try Epoch.require(epoch, db) }
                if let family = try advance(db, presentation, at: now) {
                    try Audit.append(db, events, at: now)
                    return .rotated(family)
                }
                let other = try withoutSuccessor(db, presentation, at: now)
                if case .repeated = other { try Audit.append(db, events.map(Self.repeated), at: now) }
                return other
            }
        }

        /// Revokes families by id, and returns the number of newly revoked families.
        @discardableResult
        public func revoke(
            _ ids: [String],
            reason: String,
            events: [AuditEvent] = []
        ) async throws(StoreError) -> Int {
            try await core.database.write { db, now in
                let count = try ids.reduce(0) { try $0 + Self.revoke(db, $1, reason: reason, at: now) }
                try Audit.append(db, events, at: now)
                return count
            }
        }

        /// Deletes families whose newest refresh token has expired, even if they were revoked.
        @discardableResult
        public func sweep(limit: Int) async throws(StoreError) -> Int {
            try await core.sweep("families", limit: limit)
        }

        func insert(_ db: Database, _ family: FamilyRow, correlation: CorrelationID, at now: Moment) throws {
            try supersede(db, family, at: now)
            try makeRoom(db, family, correlation: correlation, at: now)
            try db.insert(
                into: "families",
                [
                    "id": family.id, "owner": family.owner.key,
                    "user_id": family.user.oid, "client": family.client,
                    "policy": family.policy, "scopes": Texts.encode(family.scopes), "audience": family.audience,
                    "resource": family.resource,
                    "spelled_scopes": family.spelledScopes.isEmpty ? nil : Texts.encode(family.spelledScopes),
                    "counter": family.counter,
                    "secret": try core.sealing.seal(family.secret.revealBytes(), Self.secret, row: family.id),
                    "authentication": try core.sealing.write(
                        family.authentication,
                        as: Self.authentication,
                        row: family.id
                    ),
                    "created_at": family.createdAt, "session_id": family.sessionID, "tenant": core.tenant,
                ] + family.expires.columns("expires") + family.windowEnds.columns("window")
            )
        }

        static let revocation = "UPDATE families SET revoked_at = :at, revoked_reason = :reason"

        @discardableResult
        static func revoke(
            _ db: Database,
            where condition: String,
            _ arguments: StatementArguments,
            reason: String,
            at now: Moment
        ) throws -> Int {
            try db.run(
                "\(revocation) WHERE \(condition) AND revoked_at IS NULL",
                arguments + ["at": now.wall, "reason": reason]
            )
        }

        static func revoke(_ db: Database, _ id: String, reason: String, at now: Moment) throws -> Int {
            try revoke(db, where: "id = :id", ["id": id], reason: reason, at: now)
        }

        static func revoke(
            _ db: Database,
            owner: Owner,
            user: UserID?,
            reason: String,
            at now: Moment
        ) throws -> [RevokedFamily] {
            let rows = try db.rows(
                """
                \(revocation) WHERE \(OwnerSelection.condition(user)) AND revoked_at IS NULL
                RETURNING user_id, client, policy
                """,
                OwnerSelection.arguments(owner, user) + ["at": now.wall, "reason": reason]
            )
            try trim(db, owner)
            return try rows.map { row in
                RevokedFamily(
                    user: UserID(oid: try row.get("user_id")),
                    client: try row.get("client"),
                    policy: try row.get("policy")
                )
            }
        }

        static func revoke(_ db: Database, user: UserID, reason: String, at now: Moment) throws {
            try revoke(db, where: "user_id = :user", ["user": user.oid], reason: reason, at: now)
        }

        private func kill(
            _ db: Database,
            _ family: FamilyRow,
            _ presentation: Presentation,
            reason: String,
            at now: Moment
        ) throws {
            _ = try Self.revoke(db, family.id, reason: reason, at: now)
            let event = AuditEvent(
                .familyRevoked,
                owner: family.owner,
                user: family.user,
                client: family.client,
                policy: family.policy,
                correlationID: presentation.correlationID,
                detail: ["reason": reason, "by": presentation.holder.key]
            )
            try Audit.append(db, [event], at: now)
        }

        /// Gives the token a successor and returns the changed family, or returns `nil` if that is not permitted.
        ///
        /// Only the family's owner can replace the newest token of an enabled user's valid family.
        private func advance(_ db: Database, _ presentation: Presentation, at now: Moment) throws -> FamilyRow? {
            var family = presentation.family
            family.expires = presentation.successorEnds.earlier(family.windowEnds)
            family.graceEnds = Deadline(presentation.grace, after: now)
            let row = try db.row(
                """
                UPDATE families SET counter = counter + 1, renewed_scopes = :renewed_scopes,
                    \(Deadline.assignments("expires")), \(Deadline.assignments("grace"))
                WHERE id = :id AND owner = :holder AND counter = :counter AND revoked_at IS NULL
                    AND expires_wall > :wall AND NOT (expires_boot_id = :boot_id AND expires_boot <= :boot)
                    AND window_wall > :wall AND NOT (window_boot_id = :boot_id AND window_boot <= :boot)
                    AND EXISTS (SELECT 1 FROM users WHERE users.id = families.user_id AND users.enabled = 1)
                RETURNING counter
                """,
                [
                    "id": family.id, "holder": presentation.holder.key, "counter": presentation.counter,
                    "renewed_scopes": Texts.encode(presentation.scopes),
                ] + now.arguments + family.expires.arguments("expires")
                    + family.graceEnds.arguments("grace")
            )
            guard let row else { return nil }
            family.counter = try row.get("counter")
            family.revokedAt = nil
            return family
        }

        private func withoutSuccessor(
            _ db: Database,
            _ presentation: Presentation,
            at now: Moment
        ) throws -> Rotation {
            guard let row = try standing(db, presentation.family) else { return .refused(.unknown) }
            // Only the columns that are read here can change, so the caller's other values are up to date.
            var family = presentation.family
            family.counter = try row.get("counter")
            family.expires = try row.deadline("expires")
            family.graceEnds = try row.deadline("grace")
            family.revokedAt = try row.optional("revoked_at")
            guard family.revokedAt == nil else { return .refused(.revoked) }
            guard family.owner == presentation.holder else {
                try kill(db, family, presentation, reason: "not_holder", at: now)
                return .refused(.notHolder)
            }
            let isLost = try presentation.counter == family.counter - 1 && Self.mayRepeat(presentation, row, at: now)
            guard presentation.counter == family.counter || isLost else {
                try kill(db, family, presentation, reason: "reused", at: now)
                return .refused(.reused)
            }
            guard !family.expires.hasEnded(at: now), !family.windowEnds.hasEnded(at: now) else {
                return .refused(.expired)
            }
            guard isLost, try row.optional("enabled") == true else { return .refused(.disabled) }
            return .repeated(family)
        }

        /// Whether the previous token may be presented again, because its response may have been lost.
        private static func mayRepeat(_ presentation: Presentation, _ row: Row, at now: Moment) throws -> Bool {
            if presentation.holder.mayRepeat { return true }
            guard try !row.deadline("grace").hasEnded(at: now) else { return false }
            let renewed = try Texts.decode([String].self, try row.get("renewed_scopes"))
            return Set(presentation.scopes).isSubset(of: renewed)
        }

        private static func repeated(_ event: AuditEvent) -> AuditEvent {
            var event = event
            event.detail["repeated"] = "true"
            return event
        }

        private func standing(_ db: Database, _ family: FamilyRow) throws -> Row? {
            try db.row(
                """
                SELECT counter, expires_wall, expires_boot, expires_boot_id, grace_wall, grace_boot, grace_boot_id,
                    renewed_scopes, revoked_at, enabled
                FROM families LEFT JOIN users ON users.id = families.user_id WHERE families.id = :id
                """,
                ["id": family.id]
            )
        }

        static let secret = SealedColumn("families", "secret")
        static let authentication = SealedColumn("families", "authentication")

        private func find(_ db: Database, _ id: String) throws -> FamilyRow? {
            try db.row(
                "SELECT * FROM families WHERE id = :id AND \(Tenancy.condition)",
                ["id": id] + core.tenancy,
                as: row
            )
        }

        @Sendable func row(_ row: Row) throws -> FamilyRow {
            FamilyRow(
                id: try row.get("id"),
                owner: try row.owner(),
                user: UserID(oid: try row.get("user_id")),
                client: try row.get("client"),
                policy: try row.get("policy"),
                scopes: try Texts.decode([String].self, try row.get("scopes")),
                audience: try row.optional("audience"),
                resource: try row.optional("resource"),
                spelledScopes: try Self.spelledScopes(row),
                counter: try row.get("counter"),
                secret: Secret(bytes: try core.sealing.open(Self.secret, of: row)),
                authentication: try core.sealing.recall(Self.authentication, of: row),
                createdAt: try row.get("created_at"),
                expires: try row.deadline("expires"),
                windowEnds: try row.deadline("window"),
                graceEnds: try row.deadline("grace"),
                sessionID: try row.optional("session_id"),
                revokedAt: try row.optional("revoked_at"),
                revokedReason: try row.optional("revoked_reason")
            )
        }

        private static func spelledScopes(_ row: Row) throws -> [String] {
            try row.optional("spelled_scopes").map { try Texts.decode([String].self, $0) } ?? []
        }
    }
}
