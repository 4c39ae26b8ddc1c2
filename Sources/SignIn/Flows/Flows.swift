public import Attempts
public import AuthorityStore
public import Credentials
public import CustomIdentity
public import FlowModel
import Foundation
public import Logging
public import Moments
import OAuth
import OpenIDClient
public import Policies
import StoreRefusals

/// The engine of flows: it asks people, step by step, and records their authentication.
///
/// A flow is a row of the store and nothing else: any connection of its owner may continue it, also after a restart.
/// ``FlowMachine`` makes the decisions; here it meets the store, the clock and the runners of its effects. Every method
/// throws `Refusal`; ``start(_:)`` also `OAuthError`.
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
    /// The runs of the program over the store: evaluations of those that have ended never come back.
    let runs: LiveRuns
    /// The sign-ins at outside authorities.
    public let outside: OutsideFlows

    /// An engine over a store.
    ///
    /// - Parameters:
    ///   - catalogue: Returns the current policies.
    ///   - store: The store of flows, users and sessions.
    ///   - attempts: The lockout rule.
    ///   - hasher: The hasher of passwords.
    ///   - clock: The clock that deadlines go by.
    ///   - limits: The greatest numbers of open flows.
    ///   - signUp: Returns the current rule on signing up.
    ///   - outbox: The folder in which mails stay; people are told its path then.
    ///   - mailQueued: Called after a mail was put into the outbox.
    ///   - providers: The calls at providers outside; nil if there are none.
    ///   - realms: The calls at providers of one's own; nil if there are none.
    ///   - connectors: The client of the policies' connectors; nil if there are none.
    ///   - ports: Opens ports at which browsers come back from outside authorities; nil if none can be opened.
    ///   - logger: The logger of faults.
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
        providers: ProviderCalls? = nil,
        realms: RealmCalls? = nil,
        connectors: ConnectorClient? = nil,
        ports: ReturnPort.Open? = nil,
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
        runs = LiveRuns(store.directory)
        outside = OutsideFlows(
            client: providers?.client ?? OpenIDClient(clock: clock),
            ports: ports,
            clock: clock,
            limits: limits,
            logger: logger,
            changes: changes
        )
        effects = Effects(
            store: store,
            attempts: attempts,
            hasher: hasher,
            clock: clock,
            signUp: signUp,
            providers: providers,
            realms: realms,
            connectors: connectors
        )
    }

    /// A flow of this owner, with its open step; changes nothing.
    public func get(_ id: String, owner: Owner) async throws -> Flow {
        if OutsideFlows.has(id) { return try await outside.get(id, owner: owner) }
        return try await shown(try await load(id, owner: owner))
    }

    /// The client for which a flow of this owner was begun at this authority.
    public func client(of id: String, owner: Owner) async throws -> String {
        try await load(id, owner: owner).row.client
    }

    /// The outcome of a flow of this owner that has succeeded; nil for any other.
    public func finished(_ id: String, owner: Owner) async throws -> FlowOutcome? {
        if OutsideFlows.has(id) { return nil }
        let state = try await load(id, owner: owner).state
        return state.state == .succeeded ? state.finished : nil
    }

    /// The open flows of this owner, without their steps.
    public func list(owner: Owner) async throws -> [Flow] {
        let here = try await open(of: owner).map { FlowMachine.outline($0.now) }
        return here + (await outside.list(owner: owner))
    }

    /// The open flows of this owner at this authority.
    func open(of owner: Owner) async throws -> [StoredFlow] {
        var open: [StoredFlow] = []
        for row in try await Self.rows.storing({ try await store.flows.list(owner: owner) }) {
            if let stored = try await settled(row), !stored.state.isTerminal { open.append(stored) }
        }
        return open
    }

    /// Sets what is called after each change of a person's account, before a caller is told of it.
    ///
    /// - Parameter withdraw: Withdraws what the change has made worthless; it has deadlines of its own. What holds these flows
    ///   keeps them, and their store, until nil takes its place.
    public func onAccountEdited(_ withdraw: (@Sendable (AccountEdit, UserID) async -> Void)?) {
        changes.onAccountEdited(withdraw)
    }

    /// True if there is a policy that sets a new password where the old one is forgotten.
    public var resetsPasswords: Bool { catalogue().first(.passwordReset) != nil }

    /// The number of open flows of this owner.
    public func count(owner: Owner) async throws -> Int64 {
        Int64(try await list(owner: owner).count)
    }

    /// Ends a flow; one that has ended stays as it is.
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
        if OutsideFlows.has(id) { return try await outside.cancel(id, owner: caller.owner) }
        return try await changing(id, owner: caller.owner) { stored, now in
            guard let machine = stored.machine else { return FlowMachine.outline(stored.state) }
            var (state, effects) = machine.reduce(stored.state, .cancelled, now: now)
            if state != stored.state {
                if let reason = reason.map(Self.shown), !effects.isEmpty {
                    effects = effects.map { $0.with("reason", reason) }
                }
                state = try await write(state, effects, over: stored, caller)
            }
            return machine.context(state).view()
        }
    }

    /// Ends all open flows of an owner, or those of one person.
    ///
    /// - Parameters:
    ///   - owner: The owner.
    ///   - user: Only flows of this person; nil for all.
    /// - Returns: The number of flows that were ended.
    /// - Throws: `Refusal`.
    @discardableResult
    public func cancelAll(owner: Owner, user: UserID? = nil) async throws -> Int {
        let count = try await Self.rows.storing {
            try await store.flows.cancelAll(owner: owner, user: user)
        }
        // A sign-in elsewhere says only at its end who it is; a person who signs out is not kept by it.
        let elsewhere = user == nil ? await outside.cancelAll(owner: owner) : 0
        changes.changedAll(of: owner)
        return count + elsewhere
    }

    /// Wakes all waiting callers, because flows were ended without this engine.
    public func wakeWaiters() {
        changes.changedAll()
    }

    /// Ends expired flows and deletes those whose replies need not be kept; for housekeeping.
    public func sweep() async throws {
        let rows = try await Self.rows.storing {
            try await store.flows.overdue(limit: Self.sweepBatch)
        }
        for row in rows { await end(row) }
        for _ in 0..<Self.sweepBatches {
            let gone = try await Self.rows.storing { try await store.flows.sweep(limit: Self.sweepBatch) }
            guard gone >= Self.sweepBatch else { return }
        }
    }

    /// The greatest number of rows in one transaction of a sweep.
    static let sweepBatch = 256
    /// The greatest number of deleting transactions in one sweep.
    private static let sweepBatches = 50

    /// The caller's reason, shortened for the log.
    private static func shown(_ reason: String) -> String {
        String(
            reason.unicodeScalars.filter { $0.properties.generalCategory != .control }.prefix(64).map(Character.init)
        )
    }
}

extension Flows {
    static let rows = StoreRefusals(
        of: "the store",
        absent: Refusals.flowNotFound,
        crowded: Refusal(.limitExceeded, "too much waits to be written or sent; try again").retrying(afterMs: 1_000)
    )
}
