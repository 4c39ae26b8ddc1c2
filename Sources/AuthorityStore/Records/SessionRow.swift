public import FlowModel
public import Moments

/// How far a session reaches.
public enum SessionScope: String, Hashable, Sendable, Codable, CaseIterable {
    /// All programs and policies.
    case tenant
    /// The program it was made for.
    case application
    /// The policy it was made by.
    case policy
    /// Nothing but the request it was made for.
    case none
}

/// A person who has proved who they are and need not do so again for a while.
public struct SessionRow: Hashable, Sendable {
    /// Random text.
    public let id: String
    /// Whose it is.
    public let owner: Owner
    /// The person.
    public let user: UserID
    /// What was proved; sealed.
    public let proofs: [Proof]
    /// The policy it was made by.
    public let policy: String
    /// The program it was made for.
    public let client: String
    /// How far it reaches.
    public let scope: SessionScope
    /// When it was made, in milliseconds since 1970 UTC.
    public let createdAt: Int64
    /// When it ends unless it is prolonged.
    public let ends: Deadline
    /// When it ends, whatever happens.
    public let absoluteEnd: Deadline

    /// A person who has proved who they are.
    public init(
        id: String,
        owner: Owner,
        user: UserID,
        proofs: [Proof],
        policy: String,
        client: String,
        scope: SessionScope,
        createdAt: Int64,
        ends: Deadline,
        absoluteEnd: Deadline
    ) {
        self.id = id
        self.owner = owner
        self.user = user
        self.proofs = proofs
        self.policy = policy
        self.client = client
        self.scope = scope
        self.createdAt = createdAt
        self.ends = ends
        self.absoluteEnd = absoluteEnd
    }

    /// Whether it counts at `now`.
    public func isLive(at now: Moment) -> Bool { !ends.hasEnded(at: now) && !absoluteEnd.hasEnded(at: now) }
}

/// How much a sign-out took away.
public struct Removed: Hashable, Sendable {
    /// Sessions that ended.
    public let sessions: Int
    /// Refresh-token families that were revoked.
    public let families: Int
    /// Open flows that were cancelled.
    public let flows: Int

    /// How much a sign-out took away.
    public init(sessions: Int, families: Int, flows: Int) {
        self.sessions = sessions
        self.families = families
        self.flows = flows
    }
}
