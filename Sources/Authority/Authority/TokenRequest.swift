public import OAuth

/// A request for a token, as it was received.
public struct TokenRequest: Hashable, Sendable {
    /// The policy, in any case; the default if nil.
    public var policy: String?
    /// The policy of the person's last sign-in, which issues where ``policy`` only steps up; nil if nobody is signed in.
    public var sessionPolicy: String?
    /// The client's id; ``AuthoritySettings/defaultClient`` if nil.
    public var client: String?
    /// The scopes of the token: `<api>/<scope>`, the short form where it is unique, or the client's own id.
    public var scopes: [String]
    /// Scopes to ask for as well if the person is asked anyway.
    public var additionalScopes: [String]
    /// The audience, if scopes alone do not name one (RFC 8707).
    public var resource: String?
    /// The authentication contexts of which one must be reached (RFC 9470 §4).
    public var acrValues: [String]
    /// The greatest age of the proof of identity, in seconds.
    public var maxAge: Int64?
    /// The claims request (OpenID Connect Core §5.5).
    public var claims: JSONValue?

    /// A request for `scopes` with everything else at its default.
    public init(scopes: [String]) {
        self.scopes = scopes
        additionalScopes = []
        acrValues = []
    }
}
