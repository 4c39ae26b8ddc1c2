public import FlowModel
public import Moments
public import OAuth

/// Refresh tokens of one grant: each renewal's token follows from the one before (RFC 9700 §4.14.2).
public struct FamilyRow: Hashable, Sendable {
    /// The id: random text.
    public let id: String
    /// The owner; only one of the same kind may renew it.
    public let owner: Owner
    /// The person.
    public let user: UserID
    /// The client that was granted it.
    public let client: String
    /// The policy the person signed in with.
    public let policy: String
    /// All granted scopes: `<api>/<scope>`.
    public let scopes: [String]
    /// The API, where tokens are for one only.
    public let audience: String?
    /// The resource that was asked for by its URI, for the tokens' audience (RFC 8707); nil if none was.
    public let resource: String?
    /// The granted scopes as the client spelled them, `openid` and its like among them.
    public let spelledScopes: [String]
    /// The number of the newest refresh token.
    public var counter: Int64
    /// The secret that the refresh tokens are made with; sealed.
    public let secret: Secret
    /// The proofs of the person's identity; sealed.
    public let authentication: Authentication
    /// Time of the grant, in milliseconds since 1970 UTC.
    public let createdAt: Int64
    /// The end of the newest refresh token.
    public var expires: Deadline
    /// The end of the family, which no renewal extends.
    public let windowEnds: Deadline
    /// The session it was made in.
    public let sessionID: String?
    /// Time of revocation, in milliseconds since 1970 UTC.
    public var revokedAt: Int64?
    /// The reason for the revocation.
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
        resource: String? = nil,
        spelledScopes: [String] = [],
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
        self.resource = resource
        self.spelledScopes = spelledScopes
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
    /// The client.
    public let client: String
    /// The policy the person signed in with.
    public let policy: String
}

/// The result of presenting a refresh token.
public enum Rotation: Hashable, Sendable {
    /// It was the newest one and now has a successor.
    case rotated(FamilyRow)
    /// Its holder had presented it before and never used the successor, which still stands.
    case repeated(FamilyRow)
    /// It gives nothing.
    case refused(RefusedRotation)
}

/// The reasons for refusing a refresh token.
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

/// Tokens to be issued, with the conditions that must still hold and the changes made with them.
public struct Issue: Sendable {
    /// The source that identifies the person.
    public enum Source: Hashable, Sendable {
        /// The authentication that a flow wrote for this request; it is used up.
        case authentication(requestID: String)
        /// A session that must still be live, and its new end if it is prolonged.
        case session(id: String, prolongedUntil: Deadline?)
    }

    /// The source that identifies the person.
    public var source: Source
    /// The thing that is made.
    public enum Product: Hashable, Sendable {
        /// Refresh tokens, for tokens that are handed out at once.
        case family(FamilyRow)
        /// A code with which a client fetches the tokens.
        case code(CodeRow)
        /// The approval of a device's request, by its hash.
        case device(String, client: String, Authentication)

        /// The client it is for.
        var client: String {
            switch self {
            case .family(let family): family.client
            case .code(let code): code.client
            case .device(_, let client, _): client
            }
        }
    }

    /// The owner whom source and product must belong to.
    public var owner: Owner
    /// The person.
    public var user: UserID
    /// The store's epoch at which the caller decided.
    public var expectedEpoch: Int64
    /// The thing to be made; nil if the source is used for nothing else.
    public var product: Product?
    /// Scopes that the person consented to just now.
    public var consented: [String]
    /// True if the client of a code is told when its session ends.
    public var isToldOfSignOut: Bool
    /// The events to record.
    public var events: [AuditEvent]

    /// Tokens that are to be issued.
    public init(
        source: Source,
        owner: Owner,
        user: UserID,
        expectedEpoch: Int64,
        product: Product?,
        consented: [String] = [],
        isToldOfSignOut: Bool = false,
        events: [AuditEvent] = []
    ) {
        self.source = source
        self.owner = owner
        self.user = user
        self.expectedEpoch = expectedEpoch
        self.product = product
        self.consented = consented
        self.isToldOfSignOut = isToldOfSignOut
        self.events = events
    }
}
