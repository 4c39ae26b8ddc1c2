public import OAuth

/// A request for tokens, not yet checked.
public struct TokenRequest: Hashable, Sendable {
    /// The policy's name (not case-sensitive), or `nil` for the default policy.
    public var policy: String?
    /// The policy of the last sign-in, which issues the tokens if ``policy`` is a step-up policy.
    ///
    /// `nil` if no user is signed in.
    public var sessionPolicy: String?
    /// The client's id, or `nil` for ``AuthoritySettings/defaultClient``.
    public var client: String?
    /// The required scopes, each as `<api>/<scope>`, as `<scope>` if that is unique, or as the client's id.
    public var scopes: [String]
    /// Additional scopes to request if the user is prompted anyway.
    public var additionalScopes: [String]
    /// The audience, or `nil` if the scopes determine it (RFC 8707).
    public var resource: String?
    /// The requested authentication contexts, one of which the authentication must satisfy (RFC 9470 §4).
    public var acrValues: [String]
    /// The maximum age of the authentication, in seconds, or `nil` for no limit.
    public var maxAge: Int64?
    /// The claims request (OpenID Connect Core §5.5), or `nil` for none.
    public var claims: JSONValue?

    /// Creates a request for `scopes` with default values for everything else.
    public init(scopes: [String]) {
        self.scopes = scopes
        additionalScopes = []
        acrValues = []
    }
}
