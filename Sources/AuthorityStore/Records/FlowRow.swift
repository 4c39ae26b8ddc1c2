public import FlowModel
public import Foundation
public import Moments
import OAuth

/// A flow as it is kept.
public struct FlowRow: Hashable, Sendable {
    /// The SHA-256 of the flow's id, as base64url.
    public let idHash: String
    /// Whose it is.
    public let owner: Owner
    /// The account of the cache that it is for, if that is known.
    public let account: String?
    /// The person, as soon as that is known.
    public let user: UserID?
    /// The program that asked.
    public let client: String
    /// The policy that runs.
    public let policy: String
    /// Everything else, as the flow engine encodes it; sealed.
    public let state: Data
    /// Rises with every change.
    public let rev: Int
    /// Whether it has not ended.
    public let isOpen: Bool
    /// `cancelled` if somebody else than the flow engine ended it, such as a sign-out; ``state`` does not know it.
    public var closedAs: String?
    /// What the caller named its request, so that a repetition finds this flow.
    public let requestID: String?
    /// What equal requests have in common, so that they join this flow.
    public let joinKey: String?
    /// When it was started, in milliseconds since 1970 UTC.
    public let createdAt: Int64
    /// When it ends, whatever happens.
    public let expires: Deadline
    /// Until when the row is kept, so that lost replies can be fetched.
    public let keptUntil: Deadline

    /// A flow as it is kept.
    public init(
        idHash: String,
        owner: Owner,
        account: String? = nil,
        user: UserID? = nil,
        client: String,
        policy: String,
        state: Data,
        rev: Int,
        isOpen: Bool,
        requestID: String? = nil,
        joinKey: String? = nil,
        createdAt: Int64,
        expires: Deadline,
        keptUntil: Deadline
    ) {
        self.idHash = idHash
        self.owner = owner
        self.account = account
        self.user = user
        self.client = client
        self.policy = policy
        self.state = state
        self.rev = rev
        self.isOpen = isOpen
        self.requestID = requestID
        self.joinKey = joinKey
        self.createdAt = createdAt
        self.expires = expires
        self.keptUntil = keptUntil
    }
}

/// How many flows may be open.
public struct FlowCaps: Hashable, Sendable {
    /// Open flows of one owner.
    public let perOwner: Int
    /// Open flows of everybody.
    public let total: Int

    /// How many flows may be open.
    public init(perOwner: Int = 8, total: Int = 256) {
        self.perOwner = perOwner
        self.total = total
    }
}

/// What became of a flow that was to be opened.
public enum FlowOpening: Hashable, Sendable {
    /// It was.
    case opened
    /// The same request opened this one less than 120 seconds ago.
    case repeated(FlowRow)
    /// An equal request has this one open.
    case joined(FlowRow)
}

/// A request that waits for a flow to say who somebody is.
public struct PendingRequest: Hashable, Sendable {
    /// Random text.
    public let id: String
    /// Whose it is.
    public let owner: Owner
    /// The program that asked.
    public let client: String
    /// The policy that must be run.
    public let policy: String
    /// The request, as the authority encodes it; sealed.
    public let body: Data
    /// Until when it may be met.
    public let expires: Deadline

    /// A request that waits for a flow.
    public init(id: String, owner: Owner, client: String, policy: String, body: Data, expires: Deadline) {
        self.id = id
        self.owner = owner
        self.client = client
        self.policy = policy
        self.body = body
        self.expires = expires
    }
}

/// How a flow ends with success: everything that becomes true at once.
public struct Finish: Sendable {
    /// The flow in its last state.
    public var flow: FlowRow
    /// The revision that the last state follows.
    public var expectedRev: Int
    /// The account to be made.
    public var newUser: UserRecord?
    /// Whether the account needs an invitation of one of its names, which it uses up.
    public var needsInvitation = false
    /// Charges that a right answer gives back.
    public var settled: [ChargeKey]
    /// Who the person is.
    public var authentication: Authentication
    /// The request that the authentication is for; good for one use within 120 seconds.
    public var pendingRequest: String?
    /// The session to be made or prolonged.
    public var session: SessionRow?
    /// Mails to be sent.
    public var mails: [OutboxMail]
    /// What to remember about it.
    public var events: [AuditEvent]

    /// How a flow ends with success.
    public init(
        flow: FlowRow,
        expectedRev: Int,
        authentication: Authentication,
        newUser: UserRecord? = nil,
        settled: [ChargeKey] = [],
        pendingRequest: String? = nil,
        session: SessionRow? = nil,
        mails: [OutboxMail] = [],
        events: [AuditEvent] = []
    ) {
        self.flow = flow
        self.expectedRev = expectedRev
        self.authentication = authentication
        self.newUser = newUser
        self.settled = settled
        self.pendingRequest = pendingRequest
        self.session = session
        self.mails = mails
        self.events = events
    }
}
