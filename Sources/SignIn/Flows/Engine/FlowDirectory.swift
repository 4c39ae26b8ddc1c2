public import Attempts
public import AuthorityStore
public import Credentials
public import CustomIdentity
public import FlowModel
public import Logging
public import Moments
import OAuth
import OpenIDClient
public import Policies
import StoreRefusals

/// The flows of this authority and the sign-ins at external ones: the one place that tells them apart, by the id.
///
/// Every method throws `Refusal`; ``start(_:)`` and ``act(_:caller:)`` also `InvalidParameters`.
public struct FlowDirectory: Sendable {
    let engine: FlowEngine
    /// The sign-ins at outside authorities.
    public let outside: OutsideFlows
    /// The changes of accounts by people who are signed in, outside of any flow.
    public let accounts: AccountEditor
    /// The ways of browsers to providers outside, and back.
    public let visits: ProviderVisits

    private var rows: FlowRows { engine.rows }

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
        let changes = FlowChanges()
        let evaluator = Evaluator(
            store: store,
            attempts: attempts,
            hasher: hasher,
            clock: clock,
            signUp: signUp,
            providers: providers,
            realms: realms,
            connectors: connectors
        )
        let rows = FlowRows(
            catalogue: catalogue,
            store: store,
            clock: clock,
            signUp: signUp,
            outbox: outbox,
            mailQueued: mailQueued,
            logger: logger,
            changes: changes,
            evaluator: evaluator,
            runs: LiveRuns(store.directory)
        )
        engine = FlowEngine(rows: rows, limits: limits)
        accounts = AccountEditor(rows: rows)
        visits = ProviderVisits(rows: rows)
        outside = OutsideFlows(
            client: providers?.client ?? OpenIDClient(clock: clock),
            ports: ports,
            clock: clock,
            limits: limits,
            logger: logger,
            changes: changes
        )
    }

    /// Starts a flow, or finds the one that the same or an equal request has started.
    ///
    /// - Parameter request: The request.
    /// - Returns: The flow with its first step.
    /// - Throws: `InvalidParameters` if another request had the same id within 120 s (the socket's -32602).
    ///   `Refusal`: `unknown_policy`, `blocked` if the required user's budget is used up, `limit_exceeded`,
    ///   `invalid_answer` for a value filled in that no node asks for, `unmet_authentication_requirements`.
    public func start(_ request: FlowRequest) async throws -> Started { try await engine.start(request) }

    /// A flow of this owner, with its open step; changes nothing.
    public func get(_ id: String, owner: Owner) async throws -> Flow {
        OutsideFlows.has(id) ? try await outside.get(id, owner: owner) : try await engine.get(id, owner: owner)
    }

    /// Loads a flow of this owner for an answer that comes at once; changes nothing.
    public func load(_ id: String, owner: Owner) async throws -> LoadedFlow {
        if OutsideFlows.has(id) { return LoadedFlow(flow: try await outside.get(id, owner: owner), stored: nil) }
        let stored = try await rows.load(id, owner: owner)
        return LoadedFlow(flow: try await rows.shown(stored), stored: stored)
    }

    /// Returns a flow once its `rev` is beyond `sinceRev`, or as it is when the time is over; changes nothing.
    ///
    /// - Parameters:
    ///   - id: The flow.
    ///   - owner: The owner.
    ///   - sinceRev: The revision that the caller has.
    ///   - timeout: The longest wait, at most 60 s.
    /// - Returns: The flow.
    /// - Throws: `Refusal`, `limit_exceeded` if too many wait; `CancellationError`.
    public func wait(_ id: String, owner: Owner, sinceRev: Int, timeout: Duration) async throws -> Flow {
        let clock = ContinuousClock()
        let end = clock.now.advanced(by: min(max(timeout, .zero), FlowLimits.longestWait))
        let changed = try rows.changes.subscribe(to: id, owner: owner)
        defer { rows.changes.unsubscribe(changed) }
        while true {
            let flow = try await get(id, owner: owner)
            let left = clock.now.duration(to: end)
            if flow.rev > sinceRev || flow.state.isTerminal || left <= .zero { return flow }
            try await changed.next(within: min(left, FlowChanges.pollInterval, untilExpiry(of: flow)))
        }
    }

    /// The time after which the flow or its step expires.
    private func untilExpiry(of flow: Flow) -> Duration {
        let ends = min(flow.expiresAt, flow.stepExpiresAt ?? flow.expiresAt)
        let (left, isOver) = ends.subtractingReportingOverflow(rows.clock.now.wall)
        return isOver ? FlowChanges.shortestPause : max(.milliseconds(left), FlowChanges.shortestPause)
    }

    /// Takes the answers to the open step.
    ///
    /// The attempt is charged before it is evaluated, and the returned state is on the disk.
    ///
    /// - Parameters:
    ///   - submission: The answers.
    ///   - caller: The owner of the flow, with the facts for the audit.
    /// - Returns: The verdict, and the flow as it is now.
    /// - Throws: `Refusal`. Nothing is charged if the answer was refused before its evaluation; one that took too long, met a
    ///   failing store or proved the wrong person is charged.
    public func submit(_ submission: FlowSubmission, caller: Caller) async throws -> SubmissionResult {
        try await submit(submission, caller: caller, concluding: nil as Conclude<Never>?).0
    }

    /// Takes the answers to the open step, and gives something with the success of the flow, in one transaction.
    ///
    /// - Parameters:
    ///   - submission: The answers.
    ///   - loaded: The flow, if it was loaded just now.
    ///   - caller: The owner of the flow, with the facts for the audit.
    ///   - conclude: Decides what is given.
    /// - Returns: The verdict, and the flow as it is now; with the value of what was given. Nil if the flow has not succeeded
    ///   by these answers, or if nothing was given with its success.
    /// - Throws: `Refusal`, as ``submit(_:caller:)``.
    public func submit<Value>(
        _ submission: FlowSubmission,
        loaded: LoadedFlow? = nil,
        caller: Caller,
        concluding conclude: Conclude<Value>?
    ) async throws -> (SubmissionResult, Value?) {
        guard OutsideFlows.has(submission.flow) else {
            return try await engine.submit(submission, loaded: loaded?.stored, caller: caller, concluding: conclude)
        }
        let result = try await engine.uncancelled { [outside] in
            try await outside.pasted(
                step: submission.step,
                submission: submission.submissionID,
                answers: submission.answers,
                to: submission.flow,
                caller
            )
        }
        return (result, nil)
    }

    /// Takes an action that the open step offers instead of an answer.
    ///
    /// - Parameters:
    ///   - action: The action.
    ///   - loaded: The flow, if it was loaded just now.
    ///   - caller: The owner of the flow, with the facts for the audit.
    /// - Returns: The flow as it is now.
    /// - Throws: `Refusal`, or `InvalidParameters` for a value that the action does not take (the socket's
    ///   -32602); nothing has changed then.
    public func act(
        _ action: FlowAction,
        loaded: LoadedFlow? = nil,
        caller: Caller
    ) async throws -> SubmissionResult {
        if action.value != nil, Action.Name(rawValue: action.action)?.takesValue != true {
            throw InvalidParameters(Text("refusal.actionTakesNoValue"))
        }
        if OutsideFlows.has(action.flow) {
            throw Refusals.staleStep(rev: try await outside.get(action.flow, owner: caller.owner).rev)
        }
        return try await engine.act(action, loaded: loaded?.stored, caller: caller)
    }

    /// The client for which a flow of this owner was begun at this authority.
    public func client(of id: String, owner: Owner) async throws -> String {
        try await rows.load(id, owner: owner).row.client
    }

    /// The outcome of a flow of this owner that has succeeded; nil for any other.
    public func finished(_ id: String, owner: Owner) async throws -> FlowOutcome? {
        OutsideFlows.has(id) ? nil : try await engine.outcome(id, owner: owner)
    }

    /// The outcome of a flow that succeeded without opening a step; nil for any other flow.
    public func finishedAtOnce(_ loaded: LoadedFlow) -> FlowOutcome? {
        loaded.stored.flatMap { $0.record.history.steps > 0 ? nil : $0.record.outcome }
    }

    /// The open flows of this owner, without their steps.
    public func list(owner: Owner) async throws -> [Flow] {
        try await engine.list(owner: owner) + (await outside.list(owner: owner))
    }

    /// The number of open flows of this owner.
    public func count(owner: Owner) async throws -> Int64 { Int64(try await list(owner: owner).count) }

    /// Ends a flow; one that has ended stays as it is.
    ///
    /// - Parameters:
    ///   - id: The flow.
    ///   - loaded: The same, if it was loaded just now.
    ///   - caller: The caller, whose owner has the flow.
    ///   - reason: The reason that the caller gives, for the audit.
    /// - Returns: The flow as it ended.
    /// - Throws: `Refusal`.
    public func cancel(
        _ id: String,
        loaded: LoadedFlow? = nil,
        caller: Caller,
        reason: String? = nil
    ) async throws -> Flow {
        if OutsideFlows.has(id) { return try await outside.cancel(id, owner: caller.owner) }
        return try await engine.cancel(id, loaded: loaded?.stored, caller: caller, reason: reason)
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
        let count = try await FlowRows.refusals.storing {
            try await rows.store.flows.cancelAll(owner: owner, user: user)
        }
        // A sign-in elsewhere says only at its end who it is; a person who signs out is not kept by it.
        let elsewhere = user == nil ? await outside.cancelAll(owner: owner) : 0
        rows.changes.changedAll(of: owner)
        return count + elsewhere
    }

    /// Records that a browser of another user, or of another machine, opened the link of a flow.
    ///
    /// The first one is recorded, so that opening a link again and again changes nothing. The browser that continues the
    /// flow takes its place.
    ///
    /// - Parameters:
    ///   - id: The flow.
    ///   - opener: The user or the machine of the browser.
    ///   - continues: Whether the browser continues the flow.
    ///   - caller: The browser, on behalf of the flow's owner.
    /// - Returns: The flow as it is now.
    /// - Throws: `Refusal`.
    @discardableResult
    public func opened(_ id: String, by opener: LinkOpener, continues: Bool, caller: Caller) async throws -> Flow {
        if OutsideFlows.has(id) {
            return try await outside.opened(id, owner: caller.owner, by: opener, continues: continues)
        }
        return try await engine.opened(id, by: opener, continues: continues, caller: caller)
    }

    /// Ends a flow because the words of its terminal were typed wrong too often; one that has ended stays as it is.
    ///
    /// - Parameters:
    ///   - id: The flow.
    ///   - caller: The browser, on behalf of the flow's owner.
    /// - Returns: The flow as it ended.
    /// - Throws: `Refusal`.
    public func refuseWords(_ id: String, caller: Caller) async throws -> Flow {
        if OutsideFlows.has(id) { return try await outside.refuseWords(id, owner: caller.owner) }
        return try await engine.refuseWords(id, caller: caller)
    }

    /// True for an open flow that links an account at a provider.
    public func isLink(_ id: String, owner: Owner) async throws -> Bool {
        OutsideFlows.has(id) ? false : try await engine.isLink(id, owner: owner)
    }

    /// Has a flow that links ask for the account's proof again, if it was not given by the answers of this browser alone.
    ///
    /// - Parameters:
    ///   - id: The flow.
    ///   - loaded: The same, if it was loaded just now.
    ///   - ticket: The ticket of the browser; nil for one that is known to be the owner's.
    ///   - caller: The browser, on behalf of the flow's owner.
    /// - Returns: The flow as it is now.
    /// - Throws: `Refusal`.
    public func requireProof(
        _ id: String,
        loaded: LoadedFlow? = nil,
        at ticket: String?,
        caller: Caller
    ) async throws -> Flow {
        if OutsideFlows.has(id) { return try await outside.get(id, owner: caller.owner) }
        return try await engine.requireProof(id, loaded: loaded?.stored, at: ticket, caller: caller)
    }

    /// Writes the ends of all open flows whose policy is not the one that they began with.
    ///
    /// Call it after the policies were loaded or replaced. A flow whose end cannot be written now ends at its next use.
    public func endOutdated() async { await rows.endOutdated() }

    /// Ends expired flows and deletes those whose replies need not be kept; for housekeeping.
    public func sweep() async throws { try await rows.sweep() }

    /// Wakes all waiting callers, because flows were ended without this engine.
    public func wakeWaiters() { rows.changes.changedAll() }

    /// Sets what is called after each change of a person's account, before a caller is told of it.
    ///
    /// - Parameter withdraw: Withdraws what the change has made worthless; it has deadlines of its own. What holds these flows
    ///   keeps them, and their store, until nil takes its place.
    public func onAccountEdited(_ withdraw: (@Sendable (AccountEdit, UserID) async -> Void)?) {
        rows.changes.onAccountEdited(withdraw)
    }

    /// True if there is a policy that sets a new password where the old one is forgotten.
    public var resetsPasswords: Bool { rows.catalogue().first(.passwordReset) != nil }
}
