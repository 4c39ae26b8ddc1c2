import DurableSQLite
import FlowModel
import Foundation
import GRDB
import Moments
public import OAuth
public import Storage

extension AuthorityStore {
    /// The device authorization requests (RFC 8628).
    public struct DeviceCodes: Sendable {
        let core: Core

        static let rows = OneTimeRows(table: "device_codes", isGranted: "state = 'approved'")

        /// The maximum number of waiting requests.
        public static let greatestNumber = 4_096
        /// The maximum number of waiting requests per origin.
        public static let perOrigin = 64
        /// The number of seconds to add to a device's polling interval if it polls too often (RFC 8628 §3.5).
        public static let slowDown: Int64 = 5

        /// Stores a request that waits for a user's approval, and attributes the request to `share`.
        ///
        /// `userCode` must be in canonical form.
        ///
        /// - Throws: `conflict` if the user code is taken, or `limitExceeded` if too many requests are waiting.
        public func add(
            _ request: DeviceCodeRow,
            userCode: String,
            share: RequestShare
        ) async throws(StoreError) {
            try await core.database.write { db, now in
                let bounds = RequestBounds(
                    table: "device_codes",
                    all: Self.greatestNumber,
                    perOrigin: Self.perOrigin,
                    isUnanswered: "state = 'pending'"
                )
                let place = try bounds.admit(db, share, client: request.client, core, at: now)
                let made = try db.insert(
                    into: "device_codes",
                    [
                        "hash": request.hash, "user_code": core.mac(Self.label, userCode), "origin": request.origin,
                        "client": request.client, "policy": request.policy,
                        "body": try core.sealing.seal(request.body, Self.body, row: request.hash),
                        "state": "pending", "interval": request.interval, "tenant": core.tenant,
                    ] + place.columns + Deadline(.zero, after: now).columns("next")
                        + request.expires.columns("expires"),
                    onConflict: "(user_code) DO NOTHING"
                )
                guard made > 0 else { throw StoreError(.conflict, "the user code is in use") }
            }
        }

        /// Returns the waiting request with this user code, or `nil` if there is none.
        public func find(userCode: String) async throws(StoreError) -> DeviceCodeRow? {
            let now = core.clock.now
            let mac = core.mac(Self.label, userCode)
            return try await core.database.find { db in
                let row = try db.row(
                    """
                    SELECT * FROM device_codes WHERE user_code = :code AND state = 'pending' AND \(Tenancy.condition)
                    """,
                    ["code": mac] + core.tenancy
                )
                guard let found = try row.map(self.row), !found.expires.hasEnded(at: now) else { return nil }
                return found
            }
        }

        /// Denies a waiting request permanently, or returns `false` if the request is no longer waiting.
        @discardableResult
        public func deny(_ hash: String, events: [AuditEvent] = []) async throws(StoreError) -> Bool {
            try await core.database.write { db, now in
                let denied = try db.run(
                    "UPDATE device_codes SET state = 'denied' WHERE hash = :hash AND state = 'pending'",
                    ["hash": hash]
                )
                return try Audit.append(db, events, ifAny: denied, at: now)
            }
        }

        /// Returns the response to a device that polls, and stores the device's new polling interval.
        public func poll(
            _ hash: String,
            client: String,
            policy: String,
            correlationID: CorrelationID
        ) async throws(StoreError) -> DevicePoll {
            try await core.database.write { db, now in
                let row = try db.row(
                    """
                    SELECT * FROM device_codes
                    WHERE hash = :hash AND client = :client AND policy = :policy AND \(Tenancy.condition)
                    """,
                    ["hash": hash, "client": client, "policy": policy] + core.tenancy
                )
                guard let row else { return .unknown }
                let found = try self.row(row)
                let state: String = try row.get("state")
                switch state {
                case "denied": return .denied
                case "expired": return .expired
                case "used":
                    try reuse(db, row, correlationID, at: now)
                    return .reused
                default: break
                }
                guard !found.expires.hasEnded(at: now) else {
                    // The expiry is stored first, so it holds even if the clock is set back.
                    try db.run("UPDATE device_codes SET state = 'expired' WHERE hash = :hash", ["hash": hash])
                    return .expired
                }
                if state == "approved" { return .approved(found) }
                let isEarly = try !row.deadline("next").hasPassed(at: now)
                let interval = found.interval + (isEarly ? Self.slowDown : 0)
                try db.run(
                    """
                    UPDATE device_codes SET interval = :interval, \(Deadline.assignments("next")) WHERE hash = :hash
                    """,
                    ["hash": hash, "interval": interval]
                        + Deadline(.seconds(interval), after: now).arguments("next")
                )
                return isEarly ? .tooOften : .pending
            }
        }

        /// Redeems an approved request for `family` in one transaction, or returns `false` if it is not approved.
        ///
        /// If the request was already redeemed, the family from that redemption is revoked.
        ///
        /// - Throws: `stale` if the epoch is not `expectedEpoch`, `disabled` for a disabled user, or another store
        ///   error.
        public func redeem(
            _ hash: String,
            family: FamilyRow,
            expectedEpoch: Int64,
            events: [AuditEvent],
            correlationID: CorrelationID
        ) async throws(StoreError) -> Bool {
            try await core.database.write { db, now in
                try Epoch.require(expectedEpoch, db)
                let used = try db.row(
                    """
                    UPDATE device_codes SET state = 'used', family = :family WHERE hash = :hash AND state = 'approved'
                    RETURNING hash
                    """,
                    ["hash": hash, "family": family.id]
                )
                guard used != nil else {
                    if let row = try db.row("SELECT * FROM device_codes WHERE hash = :hash", ["hash": hash]) {
                        try reuse(db, row, correlationID, at: now)
                    }
                    return false
                }
                try OneTimeRows.give(db, family, to: family.user, core, events, correlationID, at: now)
                return true
            }
        }

        /// Deletes requests that expired so long ago that their reuse no longer has to be detected.
        @discardableResult
        public func sweep(limit: Int) async throws(StoreError) -> Int {
            try await core.sweep("device_codes", by: "hash", endedFor: OneTimeRows.rememberedFor, limit: limit)
        }

        /// Writes the approval of a waiting request, or throws `expired` if the request is no longer waiting.
        func approve(_ db: Database, _ hash: String, _ approval: DeviceCodeRow.Approval, at now: Moment) throws {
            let row = try db.row(
                """
                UPDATE device_codes SET state = 'approved', owner = :owner, user_id = :user,
                    authentication = :authentication
                WHERE hash = :hash AND state = 'pending'
                RETURNING expires_wall, expires_boot, expires_boot_id
                """,
                [
                    "hash": hash, "owner": approval.owner.key, "user": approval.authentication.user.oid,
                    "authentication": try core.sealing.write(
                        approval.authentication,
                        as: Self.authentication,
                        row: hash
                    ),
                ]
            )
            guard let row, try !row.deadline("expires").hasEnded(at: now) else {
                throw StoreError(.expired, "the device no longer waits")
            }
        }

        private func reuse(_ db: Database, _ row: Row, _ correlationID: CorrelationID, at now: Moment) throws {
            guard let family: String = try row.optional("family") else { return }
            let used = (
                owner: try row.optionalOwner(), user: try row.optional("user_id").map { UserID(oid: $0) },
                client: try row.get("client") as String, policy: try row.get("policy") as String
            )
            try OneTimeRows.revoke(db, family, of: used, correlationID, at: now)
        }

        private static let label = "user code"
        static let body = SealedColumn("device_codes", key: "hash", "body")
        static let authentication = SealedColumn("device_codes", key: "hash", "authentication")

        @Sendable private func row(_ row: Row) throws -> DeviceCodeRow {
            var approval: DeviceCodeRow.Approval?
            if let _: Data = try row.optional("authentication"), let owner = try row.optionalOwner() {
                let authentication: Authentication = try core.sealing.read(Self.authentication, of: row)
                approval = DeviceCodeRow.Approval(owner: owner, authentication: authentication)
            }
            return DeviceCodeRow(
                hash: try row.get("hash"),
                origin: try row.get("origin"),
                client: try row.get("client"),
                policy: try row.get("policy"),
                body: try core.sealing.open(Self.body, of: row),
                interval: try row.get("interval"),
                expires: try row.deadline("expires"),
                approval: approval
            )
        }
    }
}
