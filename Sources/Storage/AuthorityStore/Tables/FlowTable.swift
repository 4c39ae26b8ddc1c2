import DurableSQLite
public import FlowModel
import Foundation
import GRDB
import Moments
import OAuth
public import Storage

extension AuthorityStore {
    /// The table of flows, in which queries for an owner find only that owner's flows.
    public struct FlowTable: Sendable {
        let core: Core

        /// How long a repeated request still finds the flow that the first request opened.
        public static let repeatFor = Duration.seconds(120)
        /// How long a flow is stored after something other than the flow engine, such as a sign-out, has closed it.
        public static let keptClosedFor = Duration.seconds(120)
        /// How long an authentication can be used after a flow has stored it.
        public static let authenticationLife = Duration.seconds(120)

        /// Opens a flow or returns an equivalent one, or throws `limitExceeded` if too many messages are waiting.
        public func open(
            _ flow: FlowRow,
            pending: PendingRequest? = nil,
            mails: [OutboxMail] = [],
            events: [AuditEvent] = [],
            limits: FlowCaps = FlowCaps()
        ) async throws(StoreError) -> FlowOpening {
            let now = core.clock.now
            let origin = flow.origin ?? flow.owner.origin.levels
            return try await core.database.write { db in
                if let before = try repeated(db, flow.owner, flow.client, flow.requestID, at: now) {
                    return .repeated(before)
                }
                let open = try openFlows(db, flow.owner).filter { !$0.expires.hasEnded(at: now) }
                if let before = joined(open, flow.joinKey) { return .joined(before) }
                guard open.count < limits.perOwner else {
                    let first = open.map { $0.expires.millisecondsLeft(at: now) }.min() ?? 0
                    return .full(.ofOwner, retryAfterMs: first)
                }
                let place = try SharedRows.Place(db, origin, core, at: now)
                let admission = try admit(db, flow, place, limits, at: now)
                if case .full = admission { return admission }
                try insert(db, flow, place, at: now)
                if let pending { try Requests(core: core).insert(db, pending) }
                try effects(db, mails: mails, events: events, at: now)
                return admission
            }
        }

        /// Returns the flow that an earlier request opened, or `nil` if there is none.
        ///
        /// The result is `repeated` if the earlier request was the same one, or `joined` if it was an equivalent one.
        public func standing(
            owner: Owner,
            client: String,
            requestID: String?,
            joinKey: String?
        ) async throws(StoreError) -> FlowOpening? {
            let now = core.clock.now
            return try await core.database.find { db in
                if let before = try repeated(db, owner, client, requestID, at: now) { return .repeated(before) }
                guard joinKey != nil else { return nil }
                let open = try openFlows(db, owner).filter { !$0.expires.hasEnded(at: now) }
                return joined(open, joinKey).map { .joined($0) }
            }
        }

        /// Returns this owner's flow, even if the flow has ended, or `nil` if there is none.
        public func get(_ idHash: String, owner: Owner) async throws(StoreError) -> FlowRow? {
            try await core.database.find(isOneStatement: true) { db in
                try db.row(
                    "SELECT * FROM flows WHERE id = :id AND owner = :owner",
                    ["id": idHash, "owner": owner.key]
                ).map(row)
            }
        }

        /// Returns this owner's open flows, oldest first.
        public func list(owner: Owner) async throws(StoreError) -> [FlowRow] {
            try await core.database.read { db in try openFlows(db, owner).sorted { $0.createdAt < $1.createdAt } }
        }

        /// Returns a page of all owners' open flows, sorted by id, after the id `id` (empty for the first page).
        public func open(after id: String, limit: Int) async throws(StoreError) -> [FlowRow] {
            try await core.database.read { db in
                try db.rows(
                    "SELECT * FROM flows WHERE is_open = 1 AND id > :id ORDER BY id LIMIT :limit",
                    ["id": id, "limit": limit]
                ).map(row)
            }
        }

        /// Returns expired flows of all owners that are still open, so the flow engine can end them.
        public func overdue(limit: Int) async throws(StoreError) -> [FlowRow] {
            let now = core.clock.now
            return try await core.database.read { db in
                try db.rows(
                    """
                    SELECT * FROM flows WHERE is_open = 1
                        AND (expires_wall <= :wall OR (expires_boot_id = :boot_id AND expires_boot <= :boot))
                    LIMIT :limit
                    """,
                    now.arguments + ["limit": limit]
                ).map(row)
            }
        }

        /// Writes an open flow's next state and all related changes, in one transaction.
        ///
        /// - Throws: `conflict` if the flow has changed, or its user was signed out while being identified; `notFound`
        ///   if the flow does not exist; `answerUsed` if an answer was already used; `nameTaken`, `disabled`, `expired`
        ///   or `consumed` if an account change is rejected; `expired` if the continued session has ended; or the
        ///   errors of ``Grants/issue(_:)``. Then nothing has changed, except that the flow of a signed-out user is
        ///   cancelled.
        public func commit(_ commit: FlowCommit) async throws(StoreError) {
            let now = core.clock.now
            guard try await core.database.write({ db in try write(db, commit, at: now) }) else { throw Self.signedOut }
        }

        /// Marks an answer to an open flow as used and charges the answer's attempt budgets, in one transaction.
        ///
        /// If a budget is exhausted, nothing changes, and the answer must not be evaluated. `credential` is withheld as
        /// in ``Budgets/charge(_:withholding:)``.
        ///
        /// - Throws: The errors of ``commit(_:)``. If this method throws, nothing is charged.
        public func claim(
            _ commit: FlowCommit,
            charging charges: [Charge],
            withholding credential: EnrolmentName? = nil
        ) async throws(StoreError) -> ChargeOutcome {
            let now = core.clock.now
            let outcome: ChargeOutcome? = try await core.database.write { db in
                guard try write(db, commit, at: now) else { return nil }
                let outcome = try Budgets(core: core).charge(db, charges, withholding: credential, at: now)
                if case .blocked = outcome { throw Undone<ChargeOutcome?>(outcome) }
                return outcome
            }
            guard let outcome else { throw Self.signedOut }
            return outcome
        }

        /// Writes an open flow's next state, or cancels the flow and returns `false` if its user was signed out.
        private func write(_ db: Database, _ commit: FlowCommit, at now: Moment) throws -> Bool {
            if let user = commit.user, try closeIfSignedOut(db, commit, user, at: now) { return false }
            try update(db, commit.flow, expectedRev: commit.expectedRev)
            for answer in commit.used { try use(db, answer, at: now) }
            var commit = commit
            if let id = commit.earlierSession {
                let owners = [commit.flow.owner, commit.cookieOwner].compactMap { $0 }
                let sessions = Sessions(core: core)
                let earlier = try sessions.requireLive(db, id, owners: owners, user: commit.user, at: now)
                commit.session = commit.session?.following(earlier)
            }
            try apply(db, commit, at: now)
            try Budgets.settle(db, commit.settled)
            if let subject = commit.unlocked { try Budgets.open(db, subject, at: now) }
            try Budgets.prove(db, commit.proven, at: now)
            if let authentication = commit.authentication, let id = commit.pendingRequest {
                try Requests(core: core).meet(db, id, owner: commit.flow.owner, by: authentication, at: now)
            }
            if let session = commit.session { try Sessions(core: core).upsert(db, session) }
            if let origin = commit.origin { try Successes(core: core).add(db, origin, at: now) }
            try effects(db, mails: commit.mails, events: commit.events, at: now)
            if let grant = commit.conclusion?.grant { try Grants(core: core).issue(db, grant, at: now) }
            for handOver in commit.conclusion?.handOvers ?? [] { try Sessions.handOver(db, handOver) }
            return true
        }

        /// Cancels an owner's open flows, limited to one user if `user` is given, and returns how many.
        @discardableResult
        public func cancelAll(
            owner: Owner,
            user: UserID? = nil,
            events: [AuditEvent] = []
        ) async throws(StoreError) -> Int {
            try await core.database.write { db, now in
                let count = try close(db, owner: owner, user: user, at: now)
                try Audit.append(db, events, at: now)
                return count
            }
        }

        /// Deletes expired requests, known origins and sign-outs, and flows whose responses need not be sent again.
        @discardableResult
        public func sweep(limit: Int) async throws(StoreError) -> Int {
            try await core.database.write { db, now in
                let flows = try db.sweep("flows", "kept_wall", upTo: now.wall, limit: limit)
                let met = now.wall - Self.authenticationLife.milliseconds
                let requests = try db.sweep("requests", "expires_wall", upTo: met, limit: limit)
                let origins = try Successes.sweep(db, at: now, limit: limit)
                return flows + requests + origins + (try SignOuts.sweep(db, at: now, limit: limit))
            }
        }

        /// Cancels an owner's open flows or, with `user`, only those that have identified or will identify this user.
        @discardableResult
        func close(_ db: Database, owner: Owner, user: UserID?, at now: Moment) throws -> Int {
            if let user { try SignOuts.mark(db, owner: owner, user: user, at: now) }
            return try close(db, OwnerSelection.condition(user), OwnerSelection.arguments(owner, user), at: now)
        }

        func close(_ db: Database, user: UserID, at now: Moment) throws {
            try SignOuts.mark(db, user: user, at: now)
            try close(db, "user_id = :user", ["user": user.oid], at: now)
        }

        @discardableResult
        func close(
            _ db: Database,
            _ condition: String,
            _ arguments: StatementArguments,
            at now: Moment
        ) throws -> Int {
            let rows = try db.rows("SELECT id, state FROM flows WHERE \(condition) AND is_open = 1", arguments)
            for row in rows {
                let id: String = try row.get("id")
                let open = try? core.sealing.open(try row.get("state"), Self.state, row: id)
                let emptied = open.flatMap { FlowRow.emptied($0) } ?? Data()
                let state = try core.sealing.seal(emptied, Self.state, row: id)
                try db.run(
                    """
                    UPDATE flows SET is_open = 0, closed_as = 'cancelled', rev = rev + 1, state = :state,
                        \(Deadline.assignments("kept"))
                    WHERE id = :id
                    """,
                    ["id": id, "state": state] + Deadline(Self.keptClosedFor, after: now).arguments("kept")
                )
            }
            return rows.count
        }

        /// Returns the number of the last sign-out, to be stored with a flow.
        ///
        /// Call this method before reading the flow's user, so a sign-out in between is detected.
        public func lastSignOut() async throws(StoreError) -> Int64 {
            try await core.database.find(isOneStatement: true) { db in try SignOuts.last(db) }
        }

        private static let signedOut = StoreError(.conflict, "the user was signed out meanwhile")

        /// Cancels an open flow and returns `true` if its user was signed out since the flow was last written.
        ///
        /// The sign-out can be for the flow's owner, or in the browser that started the flow.
        private func closeIfSignedOut(
            _ db: Database,
            _ commit: FlowCommit,
            _ user: UserID,
            at now: Moment
        ) throws -> Bool {
            let flow = commit.flow
            let isOvertaken = try [flow.owner, commit.begunBeside].compactMap { $0 }.contains { place in
                try SignOuts.overtook(db, flow: flow.idHash, of: flow.owner, at: place, user: user)
            }
            return try isOvertaken && close(db, "id = :id", ["id": flow.idHash], at: now) > 0
        }

        private func effects(_ db: Database, mails: [OutboxMail], events: [AuditEvent], at now: Moment) throws {
            try Outbox(core: core).add(db, mails, at: now)
            try Audit.append(db, events, at: now)
        }

        private func repeated(
            _ db: Database,
            _ owner: Owner,
            _ client: String,
            _ request: String?,
            at now: Moment
        ) throws -> FlowRow? {
            guard let request else { return nil }
            return try db.rows(
                "SELECT * FROM flows WHERE owner = :owner AND request_id = :request AND client = :client",
                ["owner": owner.key, "request": request, "client": client]
            ).first { try !$0.deadline("repeat").hasEnded(at: now) }.map(row)
        }

        private func joined(_ open: [FlowRow], _ joinKey: String?) -> FlowRow? {
            guard let joinKey else { return nil }
            return open.first { $0.joinKey == joinKey }
        }

        private func openFlows(_ db: Database, _ owner: Owner) throws -> [FlowRow] {
            try db.rows(
                "SELECT * FROM flows WHERE owner = :owner AND is_open = 1",
                ["owner": owner.key]
            ).map(row)
        }

        private func insert(_ db: Database, _ flow: FlowRow, _ place: SharedRows.Place, at now: Moment) throws {
            try db.insert(
                into: "flows",
                try columns(flow) + [
                    "client": flow.client, "policy": flow.policy, "request_id": flow.requestID,
                    "join_key": flow.joinKey, "created_at": flow.createdAt,
                    "sign_outs": try flow.knownSignOut ?? SignOuts.last(db),
                ] + place.columns + Deadline(Self.repeatFor, after: now).columns("repeat")
            )
        }

        private func update(_ db: Database, _ flow: FlowRow, expectedRev: Int) throws {
            let changed = try db.run(
                """
                UPDATE flows SET account = :account, user_id = :user_id, state = :state, rev = :rev, is_open = :is_open,
                    \(Deadline.assignments("expires")), \(Deadline.assignments("kept")), sign_outs = :sign_outs
                WHERE id = :id AND owner = :owner AND rev = :expected AND is_open = 1
                """,
                try columns(flow).arguments + [
                    "expected": expectedRev, "sign_outs": try flow.knownSignOut ?? SignOuts.last(db),
                ]
            )
            guard changed == 0 else { return }
            let there = try db.row(
                "SELECT id FROM flows WHERE id = :id AND owner = :owner",
                ["id": flow.idHash, "owner": flow.owner.key]
            )
            guard there != nil else { throw StoreError(.notFound, "there is no such flow") }
            throw StoreError(.conflict, "the flow has changed meanwhile")
        }

        static let state = SealedColumn("flows", "state")

        private func columns(_ flow: FlowRow) throws -> ColumnValues {
            [
                "id": flow.idHash, "owner": flow.owner.key, "account": flow.account,
                "user_id": flow.user?.oid, "state": try core.sealing.seal(flow.state, Self.state, row: flow.idHash),
                "rev": flow.rev, "is_open": flow.isOpen,
            ] + flow.expires.columns("expires") + flow.keptUntil.columns("kept")
        }

        @Sendable private func row(_ row: Row) throws -> FlowRow {
            var flow = FlowRow(
                idHash: try row.get("id"),
                owner: try row.owner(),
                account: try row.optional("account"),
                user: try row.optional("user_id").map { UserID(oid: $0) },
                client: try row.get("client"),
                policy: try row.get("policy"),
                state: try core.sealing.open(Self.state, of: row),
                rev: try row.get("rev"),
                isOpen: try row.get("is_open"),
                requestID: try row.optional("request_id"),
                joinKey: try row.optional("join_key"),
                createdAt: try row.get("created_at"),
                expires: try row.deadline("expires"),
                keptUntil: try row.deadline("kept")
            )
            flow.closedAs = try row.optional("closed_as")
            return flow
        }
    }
}
