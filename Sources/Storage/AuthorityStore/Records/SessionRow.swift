public import FlowModel
public import Moments

/// A session, which lets a user who has signed in get tokens without signing in again.
public struct SessionRow: Hashable, Sendable {
    /// The random id.
    public let id: String
    /// The owner of the session.
    public let owner: Owner
    /// The user's id.
    public let user: UserID
    /// How the user authenticated, stored encrypted.
    public let proofs: [Proof]
    /// The policy that created the session.
    public let policy: String
    /// The `client_id` for which the session was created.
    public let client: String
    /// The scope of the session, as the policy defined it when the session was created.
    public let scope: SessionScope
    /// When the session was created, in milliseconds since 1970 UTC.
    public let createdAt: Int64
    /// When the session expires unless it is extended.
    public let ends: Deadline
    /// The latest time to which the session can be extended.
    public let absoluteEnd: Deadline

    /// Creates a row for a session.
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

    var reach: String {
        switch scope {
        case .tenant, .none: scope.rawValue
        case .application: "\(scope.rawValue) \(client)"
        case .policy: "\(scope.rawValue) \(policy)"
        }
    }

    /// Returns `earlier` with this session's authentications and the later of the two expiry times.
    ///
    /// The expiry time does not exceed the absolute end of `earlier`.
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

    /// Whether the session is still valid at `now`.
    public func isLive(at now: Moment) -> Bool { !ends.hasEnded(at: now) && !absoluteEnd.hasEnded(at: now) }
}

/// A browser's switch to a new cookie and owner, which keeps the user's sessions and ends other users' sessions.
public struct SessionHandOver: Sendable {
    /// The previous owner.
    public let owner: Owner
    /// The new owner.
    public let heir: Owner
    /// The user that signed in.
    public let user: UserID
    /// Whether authentications remembered for the previous owner stay valid.
    public let remembers: Bool
    /// The session to continue and its new expiry, or `nil` to continue no session.
    public let kept: (session: String, until: Deadline)?

    /// Creates the handover to a new session cookie.
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

/// The numbers of sessions, families and flows that a sign-out ended.
public struct Removed: Hashable, Sendable {
    /// The number of sessions that ended.
    public let sessions: Int
    /// The number of refresh-token families that were revoked.
    public let families: Int
    /// The number of open flows that were cancelled.
    public let flows: Int
}
