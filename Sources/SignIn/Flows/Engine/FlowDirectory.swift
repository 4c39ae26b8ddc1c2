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

/// All flows: those of this authority, and sign-ins at external authorities.
///
/// Only this type distinguishes the two, by the flow's id. Every method throws `Refusal`. ``start(_:)`` and
/// ``act(_:caller:)`` also throw `InvalidParameters`.
public struct FlowDirectory: Sendable {
    let engine: FlowEngine
    /// Sign-ins at external authorities.
    public let outside: OutsideFlows
    /// Changes that signed-in users make to their accounts, outside of any flow.
    public let accounts: AccountEditor
    /// Browser visits to identity providers.
    public let visits: ProviderVisits

    private var rows: FlowRows { engine.rows }

    /// Creates a directory of the flows in a store.
    ///
    /// - Parameters:
    ///   - catalogue: Returns the current policies.
    ///   - store: The store of flows, users and sessions.
    ///   - attempts: The lockout rule.
    ///   - hasher: Hashes passwords.
    ///   - clock: The clock for deadlines.
    ///   - limits: The limits on flows.
    ///   - signUp: Returns who is currently allowed to sign up.
    ///   - outbox: The folder in which email messages stay unsent, or `nil` if they are sent. Users are shown its path.
    ///   - codeInSubject: Whether the subject of a message with a code contains the code.
    ///   - mailQueued: Called after a message was put into the outbox.
    ///   - providers: The calls to identity providers, or `nil` if there are none.
    ///   - realms: The calls to custom identity providers, or `nil` if there are none.
    ///   - connectors: The client for the policies' API connectors, or `nil` if there are none.
    ///   - ports: Opens the ports to which external authorities redirect browsers, or `nil` if none can be opened.
    ///   - logger: The logger for errors.
    public init(
        catalogue: @escaping @Sendable () -> PolicyCatalogue,
        store: AuthorityStore,
        attempts: Attempts,
        hasher: PasswordHasher,
        clock: MomentClock,
        limits: FlowLimits = FlowLimits(),
        signUp: @escaping @Sendable () -> SignUpMode = { .open },
        outbox: String? = nil,
        codeInSubject: Bool = true,
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
            codeInSubject: codeInSubject,
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

    /// Starts a flow, or returns the flow that the same or an equal request has already started.
    ///
    /// - Parameter request: The request.
    /// - Returns: The flow with its first step.
    /// - Throws: `InvalidParameters` if a different request used the same id within the last 120 s (-32602 on the
    ///   socket). `Refusal`: `unknown_policy`, `blocked` if the required user has no attempts left, `limit_exceeded`,
    ///   `invalid_answer` for a prefilled value without a node, `unmet_authentication_requirements`.
    public func start(_ request: FlowRequest) async throws -> Started { try await engine.start(request) }

    /// Returns one of this owner's flows, with its open step.
    ///
    /// This does not change the flow.
    public func get(_ id: String, owner: Owner) async throws -> Flow {
        OutsideFlows.has(id) ? try await outside.get(id, owner: owner) : try await engine.get(id, owner: owner)
    }

    /// Loads one of this owner's flows, for an answer that follows immediately.
    ///
    /// This does not change the flow.
    public func load(_ id: String, owner: Owner) async throws -> LoadedFlow {
        if OutsideFlows.has(id) { return LoadedFlow(flow: try await outside.get(id, owner: owner), stored: nil) }
        let stored = try await rows.load(id, owner: owner)
        return LoadedFlow(flow: try await rows.shown(stored), stored: stored)
    }

    /// Returns a flow once its `rev` exceeds `sinceRev`, or unchanged after `timeout`.
    ///
    /// This does not change the flow.
    ///
    /// - Parameters:
    ///   - id: The id of the flow.
    ///   - owner: The owner of the flow.
    ///   - sinceRev: The revision that the caller has already seen.
    ///   - timeout: The maximum wait, at most 60 s.
    /// - Returns: The flow.
    /// - Throws: `Refusal`; `limit_exceeded` if too many calls are waiting; `CancellationError`.
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

    /// Returns the time until the flow or its open step expires.
    private func untilExpiry(of flow: Flow) -> Duration {
        let ends = min(flow.expiresAt, flow.stepExpiresAt ?? flow.expiresAt)
        let (left, isOver) = ends.subtractingReportingOverflow(rows.clock.now.wall)
        return isOver ? FlowChanges.shortestPause : max(.milliseconds(left), FlowChanges.shortestPause)
    }

    /// Submits answers to the open step.
    ///
    /// The attempt is charged before it is evaluated. The returned state is on disk.
    ///
    /// - Parameters:
    ///   - submission: The answers.
    ///   - caller: The owner of the flow, with details for the audit log.
    /// - Returns: The verdict, and the flow after the answer.
    /// - Throws: `Refusal`. An answer rejected before its evaluation is not charged. An answer is charged even if the
    ///   evaluation took too long, the store failed, or the answer identified another user.
    public func submit(_ submission: FlowSubmission, caller: Caller) async throws -> SubmissionResult {
        try await submit(submission, caller: caller, concluding: nil as Conclude<Never>?).0
    }

    /// Submits answers to the open step.
    ///
    /// If the flow succeeds, a grant is written in the same transaction.
    ///
    /// - Parameters:
    ///   - submission: The answers.
    ///   - loaded: The flow, if the caller has just loaded it.
    ///   - caller: The owner of the flow, with details for the audit log.
    ///   - conclude: Decides what to grant.
    /// - Returns: The verdict and the flow after the answer, with the value that belongs to the grant. The value is
    ///   `nil` if these answers did not complete the flow, or if nothing was granted.
    /// - Throws: `Refusal`, like ``submit(_:caller:)``.
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
    ///   - loaded: The flow, if the caller has just loaded it.
    ///   - caller: The owner of the flow, with details for the audit log.
    /// - Returns: The flow after the action.
    /// - Throws: `Refusal`, or `InvalidParameters` for a value that the action does not accept (-32602 on the socket).
    ///   In that case, nothing changes.
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

    /// Returns the `client_id` of the client for which one of this owner's flows was started at this authority.
    public func client(of id: String, owner: Owner) async throws -> String {
        try await rows.load(id, owner: owner).row.client
    }

    /// Returns the outcome of one of this owner's flows, or `nil` if it has not succeeded.
    public func finished(_ id: String, owner: Owner) async throws -> FlowOutcome? {
        OutsideFlows.has(id) ? nil : try await engine.outcome(id, owner: owner)
    }

    /// Returns the outcome of a flow that succeeded without opening a step, or `nil` for any other flow.
    public func finishedAtOnce(_ loaded: LoadedFlow) -> FlowOutcome? {
        loaded.stored.flatMap { $0.record.history.steps > 0 ? nil : $0.record.outcome }
    }

    /// Returns this owner's open flows, without their steps.
    public func list(owner: Owner) async throws -> [Flow] {
        try await engine.list(owner: owner) + (await outside.list(owner: owner))
    }

    /// Returns the number of this owner's open flows.
    public func count(owner: Owner) async throws -> Int64 { Int64(try await list(owner: owner).count) }

    /// Cancels a flow.
    ///
    /// Does nothing if the flow has already ended.
    ///
    /// - Parameters:
    ///   - id: The id of the flow.
    ///   - loaded: The flow, if the caller has just loaded it.
    ///   - caller: The caller, acting as the flow's owner.
    ///   - reason: The caller's reason, for the audit log.
    /// - Returns: The flow in its final state.
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

    /// Cancels all open flows of an owner, or those of one user.
    ///
    /// - Parameters:
    ///   - owner: The owner of the flows.
    ///   - user: The user whose flows are cancelled, or `nil` for all users.
    /// - Returns: The number of cancelled flows.
    /// - Throws: `Refusal`.
    @discardableResult
    public func cancelAll(owner: Owner, user: UserID? = nil) async throws -> Int {
        let count = try await FlowRows.refusals.storing {
            try await rows.store.flows.cancelAll(owner: owner, user: user)
        }
        // A sign-in at an external authority identifies the user only when it ends. Therefore, signing out one user
        // does not cancel it.
        let elsewhere = user == nil ? await outside.cancelAll(owner: owner) : 0
        rows.changes.changedAll(of: owner)
        return count + elsewhere
    }

    /// Records that the link to a flow was opened in another user's browser or on another machine.
    ///
    /// Only the first such browser is recorded, so that opening the link again changes nothing. A browser that
    /// continues the flow replaces the recorded one.
    ///
    /// - Parameters:
    ///   - id: The id of the flow.
    ///   - opener: The user or machine that the browser belongs to.
    ///   - continues: Whether the browser continues the flow.
    ///   - caller: The browser, on behalf of the flow's owner.
    /// - Returns: The flow after the change.
    /// - Throws: `Refusal`.
    @discardableResult
    public func opened(_ id: String, by opener: LinkOpener, continues: Bool, caller: Caller) async throws -> Flow {
        if OutsideFlows.has(id) {
            return try await outside.opened(id, owner: caller.owner, by: opener, continues: continues)
        }
        return try await engine.opened(id, by: opener, continues: continues, caller: caller)
    }

    /// Ends a flow because the wrong confirmation words were entered too often.
    ///
    /// Does nothing if the flow has already ended.
    ///
    /// - Parameters:
    ///   - id: The id of the flow.
    ///   - caller: The browser, on behalf of the flow's owner.
    /// - Returns: The flow in its final state.
    /// - Throws: `Refusal`.
    public func refuseWords(_ id: String, caller: Caller) async throws -> Flow {
        if OutsideFlows.has(id) { return try await outside.refuseWords(id, owner: caller.owner) }
        return try await engine.refuseWords(id, caller: caller)
    }

    /// Whether a flow is open and links an account at a provider.
    public func isLink(_ id: String, owner: Owner) async throws -> Bool {
        OutsideFlows.has(id) ? false : try await engine.isLink(id, owner: owner)
    }

    /// Requires the user to authenticate again in a linking flow, unless all answers so far came from this browser.
    ///
    /// - Parameters:
    ///   - id: The id of the flow.
    ///   - loaded: The flow, if the caller has just loaded it.
    ///   - ticket: The ticket of the browser, or `nil` if the browser is known to belong to the owner.
    ///   - caller: The browser, on behalf of the flow's owner.
    /// - Returns: The flow after the change.
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

    /// Ends all open flows whose policy has changed since they started.
    ///
    /// Call this after loading or replacing policies. If the end of a flow cannot be written now, the flow ends when it
    /// is next used.
    public func endOutdated() async { await rows.endOutdated() }

    /// Ends expired flows, and deletes flows whose responses no longer have to be stored.
    ///
    /// Call this periodically.
    public func sweep() async throws { try await rows.sweep() }

    /// Wakes all waiting callers, because flows were ended outside of this engine.
    public func wakeWaiters() { rows.changes.changedAll() }

    /// Sets the function to call after each change to a user's account, before the change is reported to a caller.
    ///
    /// - Parameter withdraw: Revokes everything that the change has invalidated, with its own deadlines. The function
    ///   and everything it captures are retained until `nil` replaces it.
    public func onAccountEdited(_ withdraw: (@Sendable (AccountEdit, UserID) async -> Void)?) {
        rows.changes.onAccountEdited(withdraw)
    }

    /// Whether a policy allows users to reset a forgotten password.
    public var resetsPasswords: Bool { rows.catalogue().first(.passwordReset) != nil }
}
