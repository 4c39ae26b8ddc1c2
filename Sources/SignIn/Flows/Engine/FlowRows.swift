import Attempts
import AuthorityStore
import Crypto
import FlowModel
import Foundation
import Logging
import Moments
import OAuth
import Policies
import Storage
import StoreRefusals

/// The error of a row that has changed since it was read.
struct Conflict: Error {}

/// A flow as the store has it, with the machine of its policy.
struct StoredFlow {
    let row: FlowRow
    /// The revision of the row that the record was written with.
    var rev: Int
    var record: FlowRecord
    /// The rules of its policy; nil if there is no policy of that name now.
    let machine: FlowMachine?
    /// The time at which it was read.
    let readAt: Moment

    /// The record at the time it was read: expired steps have been opened again.
    var now: FlowRecord { passed.record }

    /// The same, with what is yet to be written.
    var passed: Transition {
        if record.isEnded { return Transition(record) }
        guard let machine, machine.policy.digest == record.order.policyDigest else {
            return FlowMachine.outdated(record, now: readAt)
        }
        return machine.reduce(record, .timePassed, now: readAt)
    }
}

/// The rows of flows: read with the rules of their policies, and written with everything that belongs to a transition.
struct FlowRows: Sendable {
    let catalogue: @Sendable () -> PolicyCatalogue
    let store: AuthorityStore
    let clock: MomentClock
    let signUp: @Sendable () -> SignUpMode
    let outbox: String?
    let mailQueued: @Sendable () -> Void
    let logger: Logger
    let changes: FlowChanges
    let evaluator: Evaluator
    /// The runs of the program over the store: evaluations of those that have ended never come back.
    let runs: LiveRuns

    /// The refusals of the store's errors.
    static let refusals = StoreRefusals(
        of: Text("refusal.store"),
        absent: Refusals.flowNotFound,
        crowded: Refusal(.limitExceeded, Text("refusal.tooMuchWaits")).retrying(afterMs: 1_000)
    )

    /// The greatest number of tries of a change to a flow that changes meanwhile.
    static let mostTries = 16
    /// The greatest number of rows in one transaction of a sweep.
    static let sweepBatch = 256
    /// The greatest number of deleting transactions in one sweep.
    private static let sweepBatches = 50

    /// The rules of a policy of this catalogue.
    func machine(_ policy: Policy, of catalogue: PolicyCatalogue) -> FlowMachine {
        FlowMachine(
            policy: policy,
            catalogue: catalogue,
            runner: runs.own,
            today: CalendarDay(secondsSince1970: clock.now.seconds),
            isLive: runs.contains,
            signUp: signUp(),
            outbox: outbox,
            providerName: evaluator.providerName
        )
    }

    /// Loads a flow of this owner; for the caller, another owner's flow does not exist.
    func load(_ id: String, owner: Owner) async throws -> StoredFlow {
        guard id.utf8.count <= FlowLimits.idLength else { throw Refusals.flowNotFound }
        let row = try await Self.refusals.storing {
            try await store.flows.get(Self.hash(id), owner: owner)
        }
        guard let row, !row.keptUntil.hasEnded(at: clock.now) else { throw Refusals.flowNotFound }
        guard let stored = try await settled(row) else { throw Refusals.flowNotFound }
        if let end = stored.record.phase.end, end.keptUntil.hasEnded(at: stored.readAt) { throw Refusals.flowNotFound }
        return stored
    }

    /// The open flows of this owner at this authority.
    func open(of owner: Owner) async throws -> [StoredFlow] {
        var open: [StoredFlow] = []
        for row in try await Self.refusals.storing({ try await store.flows.list(owner: owner) }) {
            if let stored = try await settled(row), !stored.record.isEnded { open.append(stored) }
        }
        return open
    }

    /// Reads a row, and writes the end of a flow that its policy or the time has ended since it was written.
    ///
    /// An end is stored before a caller learns of it. It then holds even if the old policy or the clock is set back.
    ///
    /// - Returns: The flow; nil if its row is gone.
    func settled(_ row: FlowRow) async throws -> StoredFlow? {
        var row = row
        for _ in 0..<Self.mostTries {
            var stored = try read(row)
            let passed = stored.passed
            guard passed.record.isEnded, !stored.record.isEnded else { return stored }
            do {
                stored.record = try await write(passed, over: stored, Caller(owner: row.owner))
                stored.rev = stored.record.history.revision
                return stored
            } catch is Conflict {
                let (id, owner) = (row.idHash, row.owner)
                let changed = try await Self.refusals.storing { try await store.flows.get(id, owner: owner) }
                guard let changed else { return nil }
                row = changed
            }
        }
        throw Refusals.submissionInProgress
    }

    /// Writes the ends of all open flows whose policy is not the one that they began with.
    func endOutdated() async {
        var last = ""
        do {
            while case let rows = try await store.flows.open(after: last, limit: Self.sweepBatch), !rows.isEmpty {
                for row in rows { await end(row) }
                last = rows.last?.idHash ?? last
            }
        } catch {
            logger.error("flows of changed policies were not ended", metadata: ["error": "\(error)"])
        }
    }

    /// Ends expired flows and deletes those whose replies need not be kept.
    func sweep() async throws {
        let rows = try await Self.refusals.storing {
            try await store.flows.overdue(limit: Self.sweepBatch)
        }
        for row in rows { await end(row) }
        for _ in 0..<Self.sweepBatches {
            let gone = try await Self.refusals.storing { try await store.flows.sweep(limit: Self.sweepBatch) }
            guard gone >= Self.sweepBatch else { return }
        }
    }

    /// Writes the end of a flow that the time or its policy has ended; logs what prevents it.
    private func end(_ row: FlowRow) async {
        do {
            _ = try await settled(row)
        } catch {
            logger.warning("a flow was not ended", metadata: ["flow": "\(row.idHash)", "error": "\(error)"])
        }
    }

    /// Reads a row.
    func read(_ row: FlowRow) throws -> StoredFlow {
        var record: FlowRecord
        do {
            record = try JSONDecoder().decode(FlowRecord.self, from: row.state)
        } catch {
            logger.error("a flow cannot be read", metadata: ["flow": "\(row.idHash)"])
            throw Refusals.storageFailed("the record of a flow cannot be decoded")
        }
        if !row.isOpen, !record.isEnded {
            record.end(.cancelled, keptUntil: row.keptUntil)
            record.history.revision = row.rev
        }
        let catalogue = catalogue()
        let machine = catalogue[record.order.policy].map { self.machine($0, of: catalogue) }
        return StoredFlow(row: row, rev: row.rev, record: record, machine: machine, readAt: clock.now)
    }

    /// The flow as its owner sees it, with the attempts left to its step.
    func shown(_ record: FlowRecord, by machine: FlowMachine?) async throws -> Flow {
        guard let machine else { return FlowView.outline(record) }
        let view = machine.view(record)
        return view.flow(attempts: try await Self.refusals.storing { try await evaluator.attemptsLeft(view) })
    }

    /// A stored flow as its owner sees it now.
    func shown(_ stored: StoredFlow) async throws -> Flow {
        try await shown(stored.now, by: stored.machine)
    }

    /// Runs `body` on the current flow, again if the row has changed meanwhile.
    func changing<T: Sendable>(
        _ id: String,
        owner: Owner,
        _ body: (StoredFlow, Moment) async throws -> T
    ) async throws -> T {
        for _ in 0..<Self.mostTries {
            do {
                return try await body(try await load(id, owner: owner), clock.now)
            } catch is Conflict {
                continue
            }
        }
        throw Refusals.submissionInProgress
    }

    /// Writes a transition: the record, and everything that belongs to it, in one transaction.
    ///
    /// - Returns: The record that was written; it differs if the name of a new user turned out to be taken.
    /// - Throws: ``Conflict`` if the row has changed meanwhile; `Refusal`.
    func write(
        _ transition: Transition,
        over stored: StoredFlow,
        settled: [ChargeKey] = [],
        _ caller: Caller
    ) async throws -> FlowRecord {
        let record = transition.record
        do {
            try await store.flows.commit(try await commit(transition, over: stored, settled, caller))
        } catch let error as StoreError {
            return try await recover(from: error, writing: transition, over: stored, settled: settled, caller)
        }
        if !transition.mails.isEmpty { mailQueued() }
        if let edit = transition.changes.withdrawn, let user = record.user { await changes.edited(edit, of: user) }
        changes.changed(record.order.id)
        return record
    }

    private func commit(
        _ transition: Transition,
        over stored: StoredFlow,
        _ settled: [ChargeKey],
        _ caller: Caller
    ) async throws -> FlowCommit {
        let record = transition.record
        let texts = stored.machine?.view(record).texts ?? Texts(for: [])
        let user = record.outcome?.user ?? record.known.person?.user
        var commit = FlowCommit(
            flow: row(of: record, like: stored.row),
            expectedRev: stored.rev,
            authentication: record.authentication,
            changes: transition.changes,
            settled: settled,
            pendingRequest: record.outcome?.pendingRequest,
            mails: transition.mails.map(texts.mail),
            events: record.events(transition.audit, caller, user: user)
        )
        guard let user, transition.isCompletion else { return commit }
        var made = Set(transition.changes.compactMap(\.credential))
        if transition.changes.newUser != nil { made.formUnion(record.known.proofs.map(\.credential)) }
        commit.proven = evaluator.attempts.proofs(of: made, by: user, at: record.origin)
        if transition.changes.setsPassword { commit.unlocked = evaluator.attempts.budgets(of: user) }
        if let machine = stored.machine { commit.session = try await session(record, machine) }
        commit.origin = record.origin.levels
        return commit
    }

    /// Writes the record of a flow whose end could not be written as it was.
    private func recover(
        from error: StoreError,
        writing transition: Transition,
        over stored: StoredFlow,
        settled: [ChargeKey],
        _ caller: Caller
    ) async throws -> FlowRecord {
        if error.code == .conflict { throw Conflict() }
        guard transition.isCompletion, let machine = stored.machine else { throw Self.refusals.refusal(error) }
        let record = stored.record
        let event: FlowEvent
        var givenBack = settled
        switch error.code {
        case .nameTaken where transition.changes.linksIdentity && !Linking.isOpen(record):
            // Another flow made the account of the same person just now; signing in again finds it.
            event = .failed(.denied)
        case .nameTaken: event = .nameTaken
        case .consumed where record.order.requirement.change?.unlinks == true: event = .lastWayIn
        case .disabled, .expired, .consumed, .notFound:
            event = .failed(error.code == .expired ? .expired : .denied)
            givenBack = []
        default: throw Self.refusals.refusal(error)
        }
        let next = machine.reduce(record, event, now: clock.now)
        return try await write(next, over: stored, settled: givenBack, caller)
    }

    /// The session that a flow leaves: a new one, or the one that it went on from.
    private func session(_ record: FlowRecord, _ machine: FlowMachine) async throws -> SessionRow? {
        guard let outcome = record.outcome, let id = outcome.session, let authentication = record.authentication else {
            return nil
        }
        let (order, rule, now) = (record.order, machine.policy.session, clock.now)
        let old = try await store.sessions.live(owner: order.owner, user: outcome.user).first { $0.id == id }
        let longest = rule.longest(window: machine.policy.tokens.slidingWindow)
        let absolute = old?.absoluteEnd ?? Deadline(longest, after: now)
        return SessionRow(
            id: id,
            owner: order.owner,
            user: outcome.user,
            proofs: authentication.proofs,
            policy: old?.policy ?? order.policy.description,
            client: old?.client ?? order.client,
            scope: old?.scope ?? rule.scope,
            createdAt: old?.createdAt ?? now.wall,
            ends: Deadline(rule.lifetime, after: now).earlier(absolute),
            absoluteEnd: absolute
        )
    }

    /// The row of a new flow.
    func row(of record: FlowRecord, requestID: String?, joinKey: String?, createdAt: Int64) -> FlowRow {
        FlowRow(
            idHash: Self.hash(record.order.id),
            owner: record.order.owner,
            user: record.user,
            client: record.order.client,
            policy: record.order.policy.description,
            state: Self.encode(record),
            rev: record.history.revision,
            isOpen: !record.isEnded,
            requestID: requestID,
            joinKey: joinKey,
            createdAt: createdAt,
            expires: record.order.ends,
            keptUntil: record.phase.end?.keptUntil ?? record.order.ends.later(by: FlowLimits.terminalKept)
        )
    }

    private func row(of record: FlowRecord, like row: FlowRow) -> FlowRow {
        self.row(of: record, requestID: row.requestID, joinKey: row.joinKey, createdAt: row.createdAt)
    }

    private static func hash(_ id: String) -> String { Base64URL.encode(Data(SHA256.hash(data: Data(id.utf8)))) }

    private static func encode(_ record: FlowRecord) -> Data {
        let encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys
        do {
            return try encoder.encode(record)
        } catch {
            preconditionFailure("a flow's record is JSON: \(error)")
        }
    }
}

extension Transition {
    /// Whether the flow succeeds, or changes the account although it does not.
    fileprivate var isCompletion: Bool { record.outcome != nil || !changes.isEmpty }
}
