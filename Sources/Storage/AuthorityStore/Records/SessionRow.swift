public import FlowModel
public import Moments

/// A session: a person who has proved who they are and need not do so again for a while.
public struct SessionRow: Hashable, Sendable {
    /// The id: random text.
    public let id: String
    /// The owner.
    public let owner: Owner
    /// The person.
    public let user: UserID
    /// The proofs; sealed.
    public let proofs: [Proof]
    /// The policy it was made by.
    public let policy: String
    /// The client it was made for.
    public let client: String
    /// The reach, as the policy had it that made it.
    public let scope: SessionScope
    /// The time of its making, in milliseconds since 1970 UTC.
    public let createdAt: Int64
    /// The end, unless it is prolonged.
    public let ends: Deadline
    /// The end, whatever happens.
    public let absoluteEnd: Deadline

    /// A session as it is kept.
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

    /// The requests that may use it, in one word: that of its scope, and what it is bound to.
    var reach: String {
        switch scope {
        case .tenant, .none: scope.rawValue
        case .application: "\(scope.rawValue) \(client)"
        case .policy: "\(scope.rawValue) \(policy)"
        }
    }

    /// The earlier session with what this one adds: its proofs and its end, if that is later; the earlier absolute end bounds
    /// it.
    func following(_ earlier: SessionRow) -> SessionRow {
        let end = ends.earlier(earlier.absoluteEnd)
        return SessionRow(
            id: earlier.id,
            owner: earlier.owner,
            user: earlier.user,
            proofs: earlier.proofs.updated(by: proofs),
            policy: earlier.policy,
            client: earlier.client,
            scope: earlier.scope,
            createdAt: earlier.createdAt,
            ends: end.earlier(earlier.ends) == end ? earlier.ends : end,
            absoluteEnd: earlier.absoluteEnd
        )
    }

    /// True if neither of its ends has passed at `now`.
    public func isLive(at now: Moment) -> Bool { !ends.hasEnded(at: now) && !absoluteEnd.hasEnded(at: now) }
}

/// A new session cookie of a browser: the sessions of one person get a new owner, and everybody else's end.
public struct SessionHandOver: Sendable {
    /// The owner so far.
    public let owner: Owner
    /// The new owner.
    public let heir: Owner
    /// The person who has signed in.
    public let user: UserID
    /// Whether that person stays remembered by what the owner so far was remembered by.
    public let remembers: Bool
    /// The session that stays until a time of the person's choice, and the time; nil if none does.
    public let kept: (session: String, until: Deadline)?

    /// A new session cookie.
    public init(
        from owner: Owner,
        to heir: Owner,
        of user: UserID,
        remembering remembers: Bool = true,
        keeping kept: (session: String, until: Deadline)? = nil
    ) {
        self.owner = owner
        self.heir = heir
        self.user = user
        self.remembers = remembers
        self.kept = kept
    }
}

/// Counts of the things that a sign-out ended.
public struct Removed: Hashable, Sendable {
    /// Sessions that ended.
    public let sessions: Int
    /// Refresh-token families that were revoked.
    public let families: Int
    /// Open flows that were cancelled.
    public let flows: Int
}
