import AuthorityStore
public import FlowModel
import Logging
import Metrics
import Moments
import Storage
import StoreRefusals

extension Authority {
    static let auditRetention: Duration = .seconds(90 * 86_400)
    /// The maximum number of rows of each kind to delete in one transaction.
    static let sweepLimit = 1_000
    /// The maximum number of transactions for each kind of row in one round of housekeeping.
    static let sweepBatches = 50

    /// Performs due key changes and deletes obsolete rows, and only logs failures because the next round tries again.
    public func housekeeping() async {
        let (keys, store, clock) = (keys, store, clock)
        let rounds: [(String, () async throws -> Void)] = [
            ("keys", { try await keys.schedule() }),
            ("attempts", { try await Self.sweeping { try await store.attempts.sweep(limit: Self.sweepLimit) } }),
            ("codes", { try await Self.sweeping { try await store.codes.sweep(limit: Self.sweepLimit) } }),
            (
                "pushed requests",
                { try await Self.sweeping { try await store.pushedRequests.sweep(limit: Self.sweepLimit) } }
            ),
            ("device codes", { try await Self.sweeping { try await store.deviceCodes.sweep(limit: Self.sweepLimit) } }),
            ("spent ids", { try await Self.sweeping { try await store.spentIDs.sweep(limit: Self.sweepLimit) } }),
            ("families", { try await Self.sweeping { try await store.families.sweep(limit: Self.sweepLimit) } }),
            ("departures", { try await Self.sweeping { try await store.departures.sweep(limit: Self.sweepLimit) } }),
            ("tickets", { try await Self.sweeping { try await store.tickets.sweep(limit: Self.sweepLimit) } }),
            ("sessions", { try await Self.sweeping { try await store.sessions.sweep(limit: Self.sweepLimit) } }),
            ("devices", { try await Self.sweeping { try await store.devices.sweep(limit: Self.sweepLimit) } }),
            (
                "remembered proofs",
                { try await Self.sweeping { try await store.remembered.sweep(limit: Self.sweepLimit) } }
            ),
            ("invitations", { try await Self.sweeping { try await store.invitations.sweep(limit: Self.sweepLimit) } }),
            (
                "audit",
                {
                    let before = clock.now.wall - Self.auditRetention.milliseconds
                    try await Self.sweeping {
                        try await store.audit.sweep(before: before, limit: Self.sweepLimit)
                    }
                }
            ),
        ]
        for (name, round) in rounds {
            do {
                try await round()
            } catch {
                Counter(label: "housekeeping_failures", dimensions: [("of", name)]).increment()
                logger.warning("housekeeping failed", metadata: ["of": "\(name)", "error": "\(error)"])
            }
        }
    }

    private static func sweeping(_ batch: () async throws -> Int) async throws {
        for _ in 0..<sweepBatches {
            guard try await batch() >= sweepLimit else { return }
        }
    }

    /// Records an audit event in a transaction of its own.
    public func audit(_ kind: AuditKind, _ caller: Caller, detail: [String: String] = [:]) async throws {
        try await Self.rows.storing { try await store.audit.append([AuditEvent(kind, by: caller, detail: detail)]) }
    }

    /// Records an audit event for an action that has already happened, or logs the error and returns `false`.
    @discardableResult
    public func note(_ kind: AuditKind, _ caller: Caller, detail: [String: String] = [:]) async -> Bool {
        do {
            try await audit(kind, caller, detail: detail)
            return true
        } catch {
            logger.warning("audit event not written", metadata: ["error": "\(error)"])
            return false
        }
    }

    /// Returns up to `limit` of the owner's audit events with sequence numbers greater than `since`, oldest first.
    public func events(of owner: Owner, since: Int64, limit: Int) async throws -> [AuditRecord] {
        try await Self.rows.storing { try await store.audit.query(owner: owner, since: since, limit: limit) }
    }
}
