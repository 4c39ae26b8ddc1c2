public import OAuth

/// What a token is asked for with, as it came.
public struct TokenRequest: Hashable, Sendable {
    /// The policy, in any case; the default if nil.
    public var policy: String?
    /// The client's id; ``AuthoritySettings/defaultClient`` if nil.
    public var client: String?
    /// What the token must allow: `<api>/<scope>`, the short form where it is unique, or the client's own id.
    public var scopes: [String]
    /// What else to ask for when the person is asked anyway.
    public var additionalScopes: [String]
    /// The audience, where scopes alone do not say (RFC 8707).
    public var resource: String?
    /// Authentication contexts of which one must be reached (RFC 9470 §4).
    public var acrValues: [String]
    /// How many seconds ago the person may have proved who they are.
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
