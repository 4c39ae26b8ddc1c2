public import FlowModel
public import Origins

/// The next state of a flow, with everything that is written in its transaction.
public struct FlowCommit: Sendable {
    /// The flow in its next state.
    public var flow: FlowRow
    /// The revision that it follows.
    public var expectedRev: Int
    /// The authentication that the flow has reached; nil if it has not succeeded.
    public var authentication: Authentication?
    /// The changes of the person's account, in order.
    public var changes: [AccountChange]
    /// Charges that a correct answer gives back.
    public var settled: [ChargeKey]
    /// What right answers use up.
    public var used: [UsedAnswer] = []
    /// Budgets in which credentials that the changes make count as proven.
    public var proven: [ProvenBudget] = []
    /// The budgets that a new password opens.
    public var unlocked: BudgetKey?
    /// The origin at which the person has signed in.
    public var origin: OriginLevels?
    /// The request that the authentication is for; good for one use within 120 seconds.
    public var pendingRequest: String?
    /// The session that the flow goes on from, which must still be live; nil if it began without one.
    public var earlierSession: String?
    /// The owner of the session cookie of the browser that answers; nil at the socket and without one.
    public var cookieOwner: Owner?
    /// The owner of the session cookie that the browser had when the flow began; nil at the socket and without one.
    public var begunBeside: Owner?
    /// The session to be made; with ``earlierSession``, what the flow adds to that one.
    public var session: SessionRow?
    /// What the flow's success gives at once; nil if that is given afterwards.
    public var conclusion: FlowConclusion?
    /// Mails to send.
    public var mails: [OutboxMail]
    /// The events to record.
    public var events: [AuditEvent]

    /// Writes a state of a flow.
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

    /// The person whom the flow is about: the one who is made or was authenticated, or is known so far.
    var user: UserID? { authentication?.user ?? changes.newUser?.id ?? flow.user }
}

/// What the success of a flow gives, in the transaction that writes it.
public struct FlowConclusion: Sendable {
    /// The answer to the request that waits for the flow, which uses up the authentication; nil if nothing is granted.
    public let grant: Issue?
    /// The changes of the browser's session cookie, in order.
    public let handOvers: [SessionHandOver]

    /// Gives something with the success of a flow.
    public init(grant: Issue? = nil, handOvers: [SessionHandOver] = []) {
        self.grant = grant
        self.handOvers = handOvers
    }
}
