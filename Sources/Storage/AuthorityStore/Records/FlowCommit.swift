public import FlowModel
public import Origins

/// A flow's next state, and everything else to write in the same transaction.
public struct FlowCommit: Sendable {
    /// The flow in its next state.
    public var flow: FlowRow
    /// The revision that the stored flow must still have.
    public var expectedRev: Int
    /// The user's authentication, or `nil` if the flow has not succeeded.
    public var authentication: Authentication?
    /// The changes to the user's account, in order.
    public var changes: [AccountChange]
    /// The charges that a correct answer refunds.
    public var settled: [ChargeKey]
    /// The codes and credentials to update because of correct answers.
    public var used: [UsedAnswer] = []
    /// The budgets in which a correct answer is recorded because a credential was newly enrolled.
    public var proven: [ProvenBudget] = []
    /// The subject whose budgets are unlocked by a new password, or `nil` if there is none.
    public var unlocked: BudgetKey?
    /// The origin to record as known for the user, or `nil` to record none.
    public var origin: OriginLevels?
    /// The request for which the authentication can be used once within 120 seconds, or `nil` if no request is waiting.
    public var pendingRequest: String?
    /// The session that the flow continues, which must still be valid, or `nil` if the flow started without a session.
    public var earlierSession: String?
    /// The owner of the session cookie sent with the browser's answer, or `nil` if there is no cookie or no browser.
    public var cookieOwner: Owner?
    /// The owner of the session cookie sent when the flow started, or `nil` if there is no cookie or no browser.
    public var begunBeside: Owner?
    /// The session to create, or `nil` if there is none.
    ///
    /// If ``earlierSession`` is set, the earlier session is updated with this session's data instead.
    public var session: SessionRow?
    /// The grant and handovers to make now that the flow has succeeded, or `nil` if a later request makes them.
    public var conclusion: FlowConclusion?
    /// The mail to send.
    public var mails: [OutboxMail]
    /// The events to record.
    public var events: [AuditEvent]

    /// Creates a commit of a flow's state.
    public init(
        flow: FlowRow,
        expectedRev: Int,
        authentication: Authentication? = nil,
        changes: [AccountChange] = [],
        settled: [ChargeKey] = [],
        pendingRequest: String? = nil,
        session: SessionRow? = nil,
        mails: [OutboxMail] = [],
        events: [AuditEvent] = []
    ) {
        self.flow = flow
        self.expectedRev = expectedRev
        self.authentication = authentication
        self.changes = changes
        self.settled = settled
        self.pendingRequest = pendingRequest
        self.session = session
        self.mails = mails
        self.events = events
    }

    var user: UserID? { authentication?.user ?? changes.newUser?.id ?? flow.user }
}

/// The grant and handovers to make when a flow succeeds, in the transaction that records the success.
public struct FlowConclusion: Sendable {
    /// The grant for the waiting request, which uses up the authentication, or `nil` if nothing is granted.
    public let grant: Issue?
    /// The handovers to new session cookies, in order.
    public let handOvers: [SessionHandOver]

    /// Creates a conclusion.
    public init(grant: Issue? = nil, handOvers: [SessionHandOver] = []) {
        self.grant = grant
        self.handOvers = handOvers
    }
}
