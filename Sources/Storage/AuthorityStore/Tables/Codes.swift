import DurableSQLite
import FlowModel
import Foundation
import GRDB
import Moments
public import OAuth
public import Storage

extension AuthorityStore {
    /// The authorization codes, which ``Grants`` creates.
    public struct Codes: Sendable {
        let core: Core

        static let rows = OneTimeRows(table: "codes", isGranted: "family IS NULL")

        /// Returns the used or unused code with this hash, or `nil` if there is none.
        public func get(_ hash: String) async throws(StoreError) -> CodeRow? {
            try await core.database.find(isOneStatement: true) { db in
                try db.row(
                    "SELECT * FROM codes WHERE hash = :hash AND \(Tenancy.condition)",
                    ["hash": hash] + core.tenancy,
                    as: row
                )
            }
        }

        /// Redeems a code and creates `family`, its token family, in one transaction.
        ///
        /// Of several attempts, only the first succeeds, and each later attempt revokes the family. If the session in
        /// which the code was issued has ended, all attempts are rejected. An error leaves the code unused.
        ///
        /// - Throws: `stale` if the epoch is not `expectedEpoch`, `disabled` for a disabled user, or another store
        ///   error.
        public func redeem(
            _ code: CodeRow,
            family: FamilyRow,
            expectedEpoch: Int64,
            events: [AuditEvent],
            correlationID: CorrelationID
        ) async throws(StoreError) -> CodeRedemption {
            try await core.database.write { db, now in
                try Epoch.require(expectedEpoch, db)
                let used = try db.row(
                    """
                    UPDATE codes SET family = :family WHERE hash = :hash AND family IS NULL
                    RETURNING session_id, expires_wall, expires_boot, expires_boot_id
                    """,
                    ["hash": code.hash, "family": family.id]
                )
                guard let used else { return .refused(try reuse(db, code, correlationID, at: now)) }
                guard try !used.deadline("expires").hasEnded(at: now) else { return .refused(.expired) }
                guard try isStanding(db, session: used.optional("session_id")) else { return .refused(.signedOut) }
                let user = code.authentication.user
                try OneTimeRows.give(db, family, to: user, core, events, correlationID, at: now)
                return .redeemed
            }
        }

        /// Deletes codes that expired so long ago that their reuse no longer has to be detected.
        @discardableResult
        public func sweep(limit: Int) async throws(StoreError) -> Int {
            try await core.sweep("codes", by: "hash", endedFor: OneTimeRows.rememberedFor, limit: limit)
        }

        func insert(_ db: Database, _ code: CodeRow) throws {
            try db.insert(
                into: "codes",
                [
                    "hash": code.hash, "owner": code.owner.key, "user_id": code.authentication.user.oid,
                    "client": code.client, "policy": code.policy,
                    "body": try core.sealing.seal(code.body, Self.body, row: code.hash),
                    "authentication": try core.sealing.write(
                        code.authentication,
                        as: Self.authentication,
                        row: code.hash
                    ),
                    "session_id": code.sessionID, "tenant": core.tenant,
                ] + code.expires.columns("expires")
            )
        }

        private func isStanding(_ db: Database, session: String?) throws -> Bool {
            guard let session else { return true }
            return try db.row("SELECT 1 FROM sessions WHERE id = :id", ["id": session]) != nil
        }

        private func reuse(
            _ db: Database,
            _ code: CodeRow,
            _ correlationID: CorrelationID,
            at now: Moment
        ) throws -> RefusedCode {
            guard let row = try db.row("SELECT family FROM codes WHERE hash = :hash", ["hash": code.hash]) else {
                return .unknown
            }
            let used = (
                owner: code.owner as Owner?, user: code.authentication.user as UserID?, client: code.client,
                policy: code.policy
            )
            try OneTimeRows.revoke(db, try row.get("family"), of: used, correlationID, at: now)
            return .reused
        }

        static let body = SealedColumn("codes", key: "hash", "body")
        static let authentication = SealedColumn("codes", key: "hash", "authentication")

        @Sendable private func row(_ row: Row) throws -> CodeRow {
            CodeRow(
                hash: try row.get("hash"),
                owner: try row.owner(),
                client: try row.get("client"),
                policy: try row.get("policy"),
                body: try core.sealing.open(Self.body, of: row),
                authentication: try core.sealing.read(Self.authentication, of: row),
                sessionID: try row.optional("session_id"),
                expires: try row.deadline("expires")
            )
        }
    }
}
