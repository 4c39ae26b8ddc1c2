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

/// A directory of all flows, including sign-ins at external authorities, which are recognized by their ids.
///
/// Every method throws `Refusal`. ``start(_:)`` and ``act(_:loaded:caller:)`` also throw `InvalidParameters`.
public struct FlowDirectory: Sendable {
    let engine: FlowEngine
    /// The sign-ins at external authorities.
    public let outside: OutsideFlows
    /// The editor for the changes that signed-in users make to their accounts outside of any flow.
    public let accounts: AccountEditor
    /// The browser visits to identity providers.
    public let visits: ProviderVisits

    private var rows: FlowRows { engine.rows }

    /// Creates a directory of the flows in a store.
    ///
    /// `outbox` is the folder for e-mail messages, which users see, or `nil` if messages are sent. `mailQueued` is
    /// called after a message has been queued. `takesAddress` returns whether messages can be sent to an address.
    /// `ports` opens the ports to which external authorities redirect browsers.
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
        takesAddress: @escaping @Sendable (String) async -> Bool = { _ in true },
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
            takesAddress: takesAddress,
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

    /// Starts a flow, or returns the flow that the same request or an equivalent request has already started.
    ///
    /// - Throws: `InvalidParameters` if a different request used the same id within the last 120 s (JSON-RPC error
    ///   -32602 on the socket). Otherwise, a `Refusal` with the reason `unknown_policy`, `limit_exceeded`,
    ///   `unmet_authentication_requirements`, `blocked` (the user that the request names has no attempts left) or
    ///   `invalid_answer` (a prefilled value belongs to no node).
    public func start(_ request: FlowRequest) async throws -> Started { try await engine.start(request) }

    /// Returns one of this owner's flows with its open step, without changing the flow.
    public func get(_ id: String, owner: Owner) async throws -> Flow {
        OutsideFlows.has(id) ? try await outside.get(id, owner: owner) : try await engine.get(id, owner: owner)
    }

    /// Loads one of this owner's flows, so that it need not be loaded again when an answer is submitted.
    public func load(_ id: String, owner: Owner) async throws -> LoadedFlow {
        if OutsideFlows.has(id) { return LoadedFlow(flow: try await outside.get(id, owner: owner), stored: nil) }
        let stored = try await rows.load(id, owner: owner)
        return LoadedFlow(flow: try await rows.shown(stored), stored: stored)
    }

    /// Waits until a flow has ended, its `rev` exceeds `sinceRev`, or `timeout` (at most 60 s) has passed.
    ///
    /// - Throws: A `Refusal`, for example with the reason `limit_exceeded` if too many calls are waiting, or a
    ///   `CancellationError`.
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

    private func untilExpiry(of flow: Flow) -> Duration {
        let ends = min(flow.expiresAt, flow.stepExpiresAt ?? flow.expiresAt)
        let (left, isOver) = ends.subtractingReportingOverflow(rows.clock.now.wall)
        return isOver ? FlowChanges.shortestPause : max(.milliseconds(left), FlowChanges.shortestPause)
    }

    /// Submits answers to the open step, and returns once the new state of the flow is on disk.
    ///
    /// An answer is charged only when its evaluation starts. The charge remains even if the evaluation times out, the
    /// store fails, or the answer identifies another user.
    ///
    /// - Throws: `Refusal`.
    public func submit(_ submission: FlowSubmission, caller: Caller) async throws -> SubmissionResult {
        try await submit(submission, caller: caller, concluding: nil as Conclude<Never>?).0
    }

    /// Submits answers to the open step and, if the flow succeeds, writes a grant in the same transaction.
    ///
    /// - Returns: The result, and the value that `conclude` returned, or `nil` if the flow is not complete or nothing
    ///   was granted.
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

    /// Performs an action that the open step offers as an alternative to answering.
    ///
    /// - Throws: A `Refusal`, or `InvalidParameters` for a value that the action does not accept (JSON-RPC error -32602
    ///   on the socket), in which case nothing changes.
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

    /// Returns the `client_id` that one of this owner's flows was started with.
    ///
    /// The flow must not be a sign-in at an external authority.
    public func client(of id: String, owner: Owner) async throws -> String {
        try await rows.load(id, owner: owner).row.client
    }

    /// Returns the outcome of one of this owner's flows, or `nil` if the flow has not succeeded.
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

    /// Cancels a flow, unless the flow has already ended, and records the caller's reason in the audit log.
    public func cancel(
        _ id: String,
        loaded: LoadedFlow? = nil,
        caller: Caller,
        reason: String? = nil
    ) async throws -> Flow {
        if OutsideFlows.has(id) { return try await outside.cancel(id, owner: caller.owner) }
        return try await engine.cancel(id, loaded: loaded?.stored, caller: caller, reason: reason)
    }

    /// Cancels the open flows of an owner, or only those of `user` if it is set, and returns how many.
    @discardableResult
    public func cancelAll(owner: Owner, user: UserID? = nil) async throws -> Int {
        let count = try await FlowRows.refusals.storing {
            try await rows.store.flows.cancelAll(owner: owner, user: user)
        }
        // A sign-in at an external authority has no user until it ends, so signing out one user does not cancel it.
        let elsewhere = user == nil ? await outside.cancelAll(owner: owner) : 0
        rows.changes.changedAll(of: owner)
        return count + elsewhere
    }

    /// Records that the link to a flow was opened in another user's browser or on another machine.
    ///
    /// If several browsers open the link, the first one is recorded, until another one continues the flow.
    @discardableResult
    public func opened(_ id: String, by opener: LinkOpener, continues: Bool, caller: Caller) async throws -> Flow {
        if OutsideFlows.has(id) {
            return try await outside.opened(id, owner: caller.owner, by: opener, continues: continues)
        }
        return try await engine.opened(id, by: opener, continues: continues, caller: caller)
    }

    /// Ends a flow because the wrong confirmation words were entered too many times, unless the flow has already ended.
    public func refuseWords(_ id: String, caller: Caller) async throws -> Flow {
        if OutsideFlows.has(id) { return try await outside.refuseWords(id, owner: caller.owner) }
        return try await engine.refuseWords(id, caller: caller)
    }

    /// Whether a flow links an account at a provider.
    public func isLink(_ id: String, owner: Owner) async throws -> Bool {
        OutsideFlows.has(id) ? false : try await engine.isLink(id, owner: owner)
    }

    /// Requires a new authentication in a flow that links an account, unless all answers came from this browser.
    ///
    /// `ticket` is the browser's ticket, or `nil` if the browser is known to belong to the owner.
    public func requireProof(
        _ id: String,
        loaded: LoadedFlow? = nil,
        at ticket: String?,
        caller: Caller
    ) async throws -> Flow {
        if OutsideFlows.has(id) { return try await outside.get(id, owner: caller.owner) }
        return try await engine.requireProof(id, loaded: loaded?.stored, at: ticket, caller: caller)
    }

    /// Ends all open flows whose policy has changed since they started, and must be called after policies are loaded.
    ///
    /// If a flow's end cannot be written now, the flow ends when it is next used.
    public func endOutdated() async { await rows.endOutdated() }

    /// Ends expired flows and deletes ended flows that are no longer needed, and must be called periodically.
    public func sweep() async throws { try await rows.sweep() }

    /// Wakes all callers that wait for a flow to change, after code outside this type has ended flows.
    public func wakeWaiters() { rows.changes.changedAll() }

    /// Sets the function to call after each change to a user's account, before the change is reported to a caller.
    ///
    /// The function must revoke everything that the change has invalidated, and must have its own deadlines. If
    /// `withdraw` is `nil`, no function is called.
    public func onAccountEdited(_ withdraw: (@Sendable (AccountEdit, UserID) async -> Void)?) {
        rows.changes.onAccountEdited(withdraw)
    }

    /// Whether at least one policy allows users to reset a forgotten password.
    public var resetsPasswords: Bool { rows.catalogue().first(.passwordReset) != nil }
}
