public import Attempts
public import AuthorityStore
public import Credentials
public import FlowModel
import Foundation
public import Logging
public import Moments
import OAuth
public import Policies
import StoreRefusals

/// Runs policies: asks people, step by step, and writes who they are.
///
/// A flow is a row of the store and nothing else: any connection of its uid may go on with it, also after a restart.
/// The decisions are ``FlowMachine``'s; here the machine meets store, clock and what its effects want. Every
/// method throws `Refusal`; ``start(_:)`` also `OAuthError`.
public struct Flows: Sendable {
    let catalogue: @Sendable () -> PolicyCatalogue
    let store: AuthorityStore
    let clock: MomentClock
    let limits: FlowLimits
    let signUp: @Sendable () -> SignUpMode
    let outbox: String?
    let mailQueued: @Sendable () -> Void
    let logger: Logger
    let changes = FlowChanges()
    let effects: Effects
    /// This run of the program: evaluations of other runs of the same machine never come back.
    let runner = CorrelationID.random().description

    /// An engine over a store.
    ///
    /// - Parameters:
    ///   - catalogue: The policies in force.
    ///   - store: Where flows, users and sessions are.
    ///   - attempts: The lockout rule.
    ///   - hasher: What hashes passwords.
    ///   - clock: What time it is.
    ///   - limits: How many flows there may be.
    ///   - signUp: Who may sign up, whenever it is asked.
    ///   - outbox: The folder in which mails stay, which people are told then.
    ///   - mailQueued: Called when a mail was put into the outbox.
    ///   - logger: Where faults are told.
    public init(
        catalogue: @escaping @Sendable () -> PolicyCatalogue,
        store: AuthorityStore,
        attempts: Attempts,
        hasher: PasswordHasher,
        clock: MomentClock,
        limits: FlowLimits = FlowLimits(),
        signUp: @escaping @Sendable () -> SignUpMode = { .open },
        outbox: String? = nil,
        mailQueued: @escaping @Sendable () -> Void = {},
        logger: Logger
    ) {
        self.catalogue = catalogue
        self.store = store
        self.clock = clock
        self.limits = limits
        self.signUp = signUp
        self.outbox = outbox
        self.mailQueued = mailQueued
        self.logger = logger
        effects = Effects(store: store, attempts: attempts, hasher: hasher, signUp: signUp)
    }

    /// A flow of this owner, with its open step; changes nothing.
    public func get(_ id: String, owner: Owner) async throws -> Flow {
        try await shown(try await load(id, owner: owner))
    }

    /// The open flows of this owner, without their steps.
    public func list(owner: Owner) async throws -> [Flow] {
        let rows = try await Self.rows.storing { try await store.flows.list(owner: owner) }
        let now = clock.now
        return try rows.map { try read($0).now(now) }.filter { !$0.isTerminal }.map(FlowMachine.outline)
    }

    /// The number of open flows of this owner.
    public func count(owner: Owner) async throws -> Int64 {
        try await Self.rows.storing { try await store.flows.count(owner: owner) }
    }

    /// Ends a flow; one that has ended stays what it is.
    ///
    /// - Parameters:
    ///   - id: The flow.
    ///   - caller: The caller, whose owner has the flow.
    ///   - reason: The reason that the caller gives, for the audit.
    /// - Returns: The flow as it ended.
    /// - Throws: `Refusal`.
    public func cancel(
        _ id: String,
        caller: Caller,
        reason: String? = nil
    ) async throws -> Flow {
        try await changing(id, owner: caller.owner) { stored, now in
            guard let machine = stored.machine else { return FlowMachine.outline(stored.state) }
            var (state, effects) = machine.reduce(stored.state, .cancelled, now: now)
            if state != stored.state {
                if let reason = reason.map(Self.shown), !effects.isEmpty {
                    effects = effects.map { $0.with("reason", reason) }
                }
                state = try await write(state, effects, over: stored, caller)
            }
            return machine.view(state)
        }
    }

    /// Ends all open flows of an owner, or those of one person.
    ///
    /// - Parameters:
    ///   - owner: Whose flows.
    ///   - user: Only flows of this person; nil for all.
    /// - Returns: How many were ended.
    /// - Throws: `Refusal`.
    @discardableResult
    public func cancelAll(owner: Owner, user: UserID? = nil) async throws -> Int {
        let count = try await Self.rows.storing {
            try await store.flows.cancelAll(owner: owner, user: user)
        }
        changes.changedAll(of: owner)
        return count
    }

    /// Lets everybody who waits look again: flows were ended without their engine.
    public func lookAgain() {
        changes.changedAll()
    }

    /// Ends what has run out of time and forgets what nobody can ask for any more; for housekeeping.
    public func sweep() async throws {
        let rows = try await Self.rows.storing {
            try await store.flows.overdue(limit: Self.sweepBatch)
        }
        for row in rows {
            // A row that cannot be read is said so by `read`; the others end all the same.
            guard let stored = try? read(row), let machine = stored.machine else { continue }
            let (state, effects) = machine.reduce(stored.state, .timePassed, now: clock.now)
            guard state != stored.state else { continue }
            do {
                _ = try await write(state, effects, over: stored, Caller(owner: row.owner))
            } catch is Conflict {
                continue
            }
        }
        for _ in 0..<Self.sweepBatches {
            let gone = try await Self.rows.storing { try await store.flows.sweep(limit: Self.sweepBatch) }
            guard gone >= Self.sweepBatch else { return }
        }
    }

    /// The most rows that one transaction of a sweep takes.
    private static let sweepBatch = 256
    /// The most transactions that delete in one sweep.
    private static let sweepBatches = 50

    /// The words of a caller, as short as a log can bear.
    private static func shown(_ reason: String) -> String {
        String(
            reason.unicodeScalars.filter { $0.properties.generalCategory != .control }.prefix(64).map(Character.init)
        )
    }
}
