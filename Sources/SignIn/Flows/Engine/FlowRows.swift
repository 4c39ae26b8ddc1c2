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

/// An error that is thrown if a stored flow has changed since it was read.
struct Conflict: Error {}

/// A flow loaded from the store, with its policy's state machine.
struct StoredFlow {
    let row: FlowRow
    var rev: Int
    var record: FlowRecord
    /// The state machine for the flow's policy, or `nil` if the policy no longer exists.
    let machine: FlowMachine?
    let readAt: Moment

    func written(_ record: FlowRecord) -> StoredFlow {
        var next = self
        next.record = record
        next.rev = record.history.revision
        return next
    }

    /// The record at ``readAt``, after applying expiry and the other effects of elapsed time.
    var now: FlowRecord { passed.record }

    /// The transition from the stored record to ``now``, which has not been written to the store.
    var passed: Transition {
        if record.isEnded { return Transition(record: record) }
        guard let machine, machine.policy.digest == record.order.policyDigest else {
            return FlowMachine.outdated(record, now: readAt)
        }
        return machine.reduce(record, .timePassed, now: readAt)
    }
}

struct FlowRows: Sendable {
    let catalogue: @Sendable () -> PolicyCatalogue
    let store: AuthorityStore
    let clock: MomentClock
    let signUp: @Sendable () -> SignUpMode
    let outbox: String?
    let codeInSubject: Bool
    let mailQueued: @Sendable () -> Void
    let logger: Logger
    let changes: FlowChanges
    let evaluator: Evaluator
    /// The running processes that use the store (the evaluations of all others are abandoned).
    let runs: LiveRuns

    static let refusals = StoreRefusals(
        of: Text("refusal.store"),
        absent: Refusals.flowNotFound,
        crowded: Refusal(.limitExceeded, Text("refusal.tooMuchWaits")).retrying(afterMs: 1_000)
    )

    /// The maximum number of attempts to change a flow that is being changed concurrently.
    static let mostTries = 16
    /// The maximum number of rows that one transaction of a sweep handles.
    static let sweepBatch = 256
    /// The maximum number of deletion transactions in one sweep.
    private static let sweepBatches = 50

    func machine(_ policy: Policy, of catalogue: PolicyCatalogue) -> FlowMachine {
        FlowMachine(
            policy: policy,
            catalogue: catalogue,
            runner: runs.own,
            today: CalendarDay(secondsSince1970: clock.now.seconds),
            isLive: runs.contains,
            signUp: signUp(),
            outbox: outbox,
            codeInSubject: codeInSubject,
            providerName: evaluator.providerName
        )
    }

    /// Loads one of this owner's flows, and reports another owner's flow as not found.
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

    func open(of owner: Owner) async throws -> [StoredFlow] {
        var open: [StoredFlow] = []
        for row in try await Self.refusals.storing({ try await store.flows.list(owner: owner) }) {
            if let stored = try await settled(row), !stored.record.isEnded { open.append(stored) }
        }
        return open
    }

    /// Returns the flow in a row, or `nil` if the row no longer exists.
    ///
    /// If the flow has expired or its policy has changed, it is first ended in the store.
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

    func endOutdated() async {
        var last = ""
        do {
            while case let rows = try await store.flows.open(after: last, limit: Self.sweepBatch), !rows.isEmpty {
                for row in rows { await end(row) }
                last = rows.last?.idHash ?? last
            }
        } catch {
            logger.error("flows whose policy has changed were not ended", metadata: ["error": "\(error)"])
        }
    }

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

    /// Ends a flow that has expired or whose policy has changed, and logs errors instead of throwing them.
    private func end(_ row: FlowRow) async {
        do {
            _ = try await settled(row)
        } catch {
            logger.warning("a flow was not ended", metadata: ["flow": "\(row.idHash)", "error": "\(error)"])
        }
    }

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

    func shown(_ record: FlowRecord, by machine: FlowMachine?) async throws -> Flow {
        guard let machine else { return FlowView.outline(record) }
        let view = machine.view(record)
        return view.flow(attempts: try await Self.refusals.storing { try await evaluator.attemptsLeft(view) })
    }

    func shown(_ stored: StoredFlow) async throws -> Flow {
        try await shown(stored.now, by: stored.machine)
    }

    /// Runs `body` on a flow, starting with `loaded` if it is that flow, and again if the flow has changed meanwhile.
    func changing<T: Sendable>(
        _ id: String,
        owner: Owner,
        loaded: StoredFlow? = nil,
        _ body: (StoredFlow, Moment) async throws -> T
    ) async throws -> T {
        var loaded = loaded.flatMap { $0.record.order.id == id && $0.row.owner == owner ? $0 : nil }
        for _ in 0..<Self.mostTries {
            let stored = if let loaded { loaded } else { try await load(id, owner: owner) }
            loaded = nil
            do {
                return try await body(stored, clock.now)
            } catch is Conflict {
                continue
            }
        }
        throw Refusals.submissionInProgress
    }

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

    private static func hash(_ id: String) -> String { Base64URL.encode(Data(SHA256.hash(data: Data(id.utf8)))) }

    private static func encode(_ record: FlowRecord) -> Data {
        let encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys
        do {
            return try encoder.encode(record)
        } catch {
            preconditionFailure("a flow's record cannot be encoded as JSON: \(error)")
        }
    }
}
