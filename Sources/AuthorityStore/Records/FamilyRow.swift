public import FlowModel
public import Moments
public import OAuth

/// Refresh tokens of one grant: each renewal's token follows from the one before (RFC 9700 §4.14.2).
public struct FamilyRow: Hashable, Sendable {
    /// Random text.
    public let id: String
    /// The owner; only one of the same kind may renew it.
    public let owner: Owner
    /// The person.
    public let user: UserID
    /// The program.
    public let client: String
    /// The policy the person signed in with.
    public let policy: String
    /// Everything that was granted: `<api>/<scope>`.
    public let scopes: [String]
    /// The API, where tokens are for one only.
    public let audience: String?
    /// The number of the newest refresh token.
    public var counter: Int64
    /// What the refresh tokens are made with; sealed.
    public let secret: Secret
    /// How the person proved who they are; sealed.
    public let authentication: Authentication
    /// When the grant was made, in milliseconds since 1970 UTC.
    public let createdAt: Int64
    /// When the newest refresh token ends.
    public var expires: Deadline
    /// When the family ends, however often it is renewed.
    public let windowEnds: Deadline
    /// The session it was made in.
    public let sessionID: String?
    /// When it was revoked, in milliseconds since 1970 UTC.
    public var revokedAt: Int64?
    /// Why it was revoked.
    public let revokedReason: String?

    /// Refresh tokens of one grant.
    public init(
        id: String,
        owner: Owner,
        user: UserID,
        client: String,
        policy: String,
        scopes: [String],
        audience: String? = nil,
        counter: Int64 = 0,
        secret: Secret,
        authentication: Authentication,
        createdAt: Int64,
        expires: Deadline,
        windowEnds: Deadline,
        sessionID: String? = nil,
        revokedAt: Int64? = nil,
        revokedReason: String? = nil
    ) {
        self.id = id
        self.owner = owner
        self.user = user
        self.client = client
        self.policy = policy
        self.scopes = scopes
        self.audience = audience
        self.counter = counter
        self.secret = secret
        self.authentication = authentication
        self.createdAt = createdAt
        self.expires = expires
        self.windowEnds = windowEnds
        self.sessionID = sessionID
        self.revokedAt = revokedAt
        self.revokedReason = revokedReason
    }
}

/// A family that was revoked together with others.
public struct RevokedFamily: Hashable, Sendable {
    /// The person.
    public let user: UserID
    /// The program.
    public let client: String
    /// The policy the person signed in with.
    public let policy: String
}

/// What became of a refresh token that was presented.
public enum Rotation: Hashable, Sendable {
    /// It was the newest one and now has a successor.
    case rotated(FamilyRow)
    /// Its holder had presented it before and never used the successor, which still stands.
    case repeated(FamilyRow)
    /// It gives nothing.
    case refused(RefusedRotation)
}

/// Why a refresh token gives nothing.
public enum RefusedRotation: String, Hashable, Sendable, CaseIterable {
    /// It was used before, so the family is dead now (RFC 9700 §4.14.2).
    case reused
    /// The family was revoked.
    case revoked
    /// The token or the family has ended.
    case expired
    /// Somebody else presented it, so the family is dead now.
    case notHolder
    /// There is no such family.
    case unknown
    /// The user may not sign in.
    case disabled
}

/// Tokens that are to be issued: what must still be true, and what becomes true with them.
public struct Issue: Sendable {
    /// What says who the person is.
    public enum Source: Hashable, Sendable {
        /// The authentication that a flow wrote for this request; used up by this.
        case authentication(requestID: String)
        /// A session that must still be live, and until when it is prolonged.
        case session(id: String, prolongedUntil: Deadline?)
    }

    /// What says who the person is.
    public var source: Source
    /// The owner whom source and family must belong to.
    public var owner: Owner
    /// The person.
    public var user: UserID
    /// The store's epoch that the caller decided by.
    public var expectedEpoch: Int64
    /// The refresh tokens to be granted.
    public var family: FamilyRow?
    /// Scopes that the person agreed to just now.
    public var consented: [String]
    /// What to remember about it.
    public var events: [AuditEvent]

    /// Tokens that are to be issued.
    public init(
        source: Source,
        owner: Owner,
        user: UserID,
        expectedEpoch: Int64,
        family: FamilyRow?,
        consented: [String] = [],
        events: [AuditEvent] = []
    ) {
        self.source = source
        self.owner = owner
        self.user = user
        self.expectedEpoch = expectedEpoch
        self.family = family
        self.consented = consented
        self.events = events
    }
}
