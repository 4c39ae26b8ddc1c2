public import FlowModel
public import Moments
public import OAuth

/// What `token.acquire` answers.
public enum AcquireAnswer: Sendable {
    /// A token.
    case token(TokenAnswer)
    /// A flow that must be answered first; `joined` if somebody else of the same uid had begun it.
    case flow(Flow, joined: Bool)
}

/// A token with what is known about it; its type is `Bearer`.
public struct TokenAnswer: Hashable, Sendable {
    /// The token.
    public let accessToken: Secret
    /// When it ends, in milliseconds since 1970 UTC.
    public let expiresAt: Int64
    /// What it allows, in the short form.
    public let scopes: [String]
    /// The opaque id of the account.
    public let account: String
    /// The sign-in name.
    public let username: String
    /// The authentication context that was reached.
    public let acr: String
    /// The methods that were used (RFC 8176).
    public let amr: [String]
    /// When the person proved who they are, in milliseconds since 1970 UTC.
    public let authTime: Int64
    /// The claims about the person, an object.
    public let claims: JSONValue
    /// The policy that issued it.
    public let policy: String
    /// What ties answer, log and audit together.
    public let correlationID: CorrelationID
    /// Whether it was in the cache.
    public let fromCache: Bool
    /// Whether it is in the cache now.
    public let cached: Bool
    /// Until when the same request may be answered with it: its end less the validity that was asked for, or the end
    /// of `maxAge`, whichever is first.
    public let usableUntil: Deadline
    /// The generation of the uid before anything was read for this answer.
    public let generation: Int64

    /// A token with what is known about it.
    public init(
        accessToken: Secret,
        expiresAt: Int64,
        scopes: [String],
        account: String,
        username: String,
        acr: String,
        amr: [String],
        authTime: Int64,
        claims: JSONValue,
        policy: String,
        correlationID: CorrelationID,
        fromCache: Bool,
        cached: Bool,
        usableUntil: Deadline,
        generation: Int64
    ) {
        self.accessToken = accessToken
        self.expiresAt = expiresAt
        self.scopes = scopes
        self.account = account
        self.username = username
        self.acr = acr
        self.amr = amr
        self.authTime = authTime
        self.claims = claims
        self.policy = policy
        self.correlationID = correlationID
        self.fromCache = fromCache
        self.cached = cached
        self.usableUntil = usableUntil
        self.generation = generation
    }
}
