public import FlowModel
public import Moments
public import OAuth

/// The refresh tokens of one grant, each of which replaces the previous token (RFC 9700 §4.14.2).
public struct FamilyRow: Hashable, Sendable {
    /// The random id.
    public let id: String
    /// The only owner that can renew the tokens.
    public let owner: Owner
    /// The user's id.
    public let user: UserID
    /// The `client_id` of the grant.
    public let client: String
    /// The policy of the sign-in.
    public let policy: String
    /// All granted scopes, as `<api>/<scope>`.
    public let scopes: [String]
    /// The only API for which access tokens can be issued, or `nil` if they can be issued for several APIs.
    public let audience: String?
    /// The resource URI that the client requested as the audience (RFC 8707), or `nil` if it requested none.
    public let resource: String?
    /// The granted scopes as the client spelled them, including `openid` and similar scopes.
    public let spelledScopes: [String]
    /// The number of the newest refresh token.
    public var counter: Int64
    /// The secret from which the refresh tokens are derived, stored encrypted.
    public let secret: Secret
    /// How the user authenticated, stored encrypted.
    public let authentication: Authentication
    /// The time of the grant, in milliseconds since 1970 UTC.
    public let createdAt: Int64
    /// When the newest refresh token expires.
    public var expires: Deadline
    /// When the family expires, which renewals do not change.
    public let windowEnds: Deadline
    /// When the grace period of the last replaced refresh token ends, which is in the past before the first renewal.
    public var graceEnds: Deadline
    /// The session in which the family was created, or `nil` if there was none.
    public let sessionID: String?
    /// The time of revocation in milliseconds since 1970 UTC, or `nil` if the family was not revoked.
    public var revokedAt: Int64?
    /// The reason for the revocation, or `nil` if the family was not revoked.
    public let revokedReason: String?

    /// Creates a family for one grant.
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
        graceEnds: Deadline = Deadline(wall: 0, boot: 0, bootID: ""),
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
        self.graceEnds = graceEnds
        self.sessionID = sessionID
        self.revokedAt = revokedAt
        self.revokedReason = revokedReason
    }
}

/// A refresh-token family that was revoked together with others.
public struct RevokedFamily: Hashable, Sendable {
    /// The user's id.
    public let user: UserID
    /// The `client_id` of the grant.
    public let client: String
    /// The policy of the sign-in.
    public let policy: String
}

/// The result of presenting a refresh token.
public enum Rotation: Hashable, Sendable {
    /// The token was the newest of its family and now has a successor.
    case rotated(FamilyRow)
    /// The token was presented again while that is permitted, so it gets the same successor, which is still unused.
    case repeated(FamilyRow)
    case refused(RefusedRotation)
}

/// The reasons to reject a refresh token.
public enum RefusedRotation: String, Hashable, Sendable, CaseIterable {
    /// The token has already been used, so the family is now revoked (RFC 9700 §4.14.2).
    case reused
    case revoked
    /// The token or the family has expired.
    case expired
    /// Another owner or client presented the token, so the family is now revoked.
    case notHolder
    case unknown
    /// The user is disabled.
    case disabled
}

/// A grant of tokens, with the conditions that must still hold and the changes to write in the same transaction.
public struct Issue: Sendable {
    /// The evidence that identifies the user.
    public enum Source: Hashable, Sendable {
        /// The authentication, usable only once, that a flow stored for the given request.
        case authentication(requestID: String)
        /// A session that must still be valid, and whose expiry is set to `prolongedUntil` if that is not `nil`.
        case session(id: String, prolongedUntil: Deadline?)
    }

    /// The evidence that identifies the user.
    public var source: Source
    /// The kinds of objects that a grant creates.
    public enum Product: Hashable, Sendable {
        /// A family of refresh tokens, if the tokens are returned immediately.
        case family(FamilyRow)
        /// An authorization code, which the client redeems for the tokens.
        case code(CodeRow)
        /// The approval of the device authorization request with the given hash.
        case device(String, client: String, Authentication)

        var client: String {
            switch self {
            case .family(let family): family.client
            case .code(let code): code.client
            case .device(_, let client, _): client
            }
        }
    }

    /// The owner of the request or session in ``source``.
    public var owner: Owner
    /// The user's id.
    public var user: UserID
    /// The store's epoch at the time of the caller's decision, which must not have changed since.
    public var expectedEpoch: Int64
    /// The object to create, or `nil` to use up the source without creating anything.
    public var product: Product?
    /// The scopes that the user has just consented to.
    public var consented: [String]
    /// Whether the client is notified of a sign-out from the session in which its authorization code was issued.
    public var isToldOfSignOut: Bool
    /// The events to record.
    public var events: [AuditEvent]

    /// Creates a description of tokens to issue.
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
