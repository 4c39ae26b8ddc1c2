public import OAuth

/// The meaning of a request without scopes (RFC 6749 §3.3).
public enum OmittedScope: Hashable, Sendable {
    /// All scopes that the client gets without additional checks, if they belong to one API.
    case everything
    /// The default scopes of the API that `resource` names, or of the only API.
    case apiDefaults
}

/// A request for tokens, not yet checked.
public struct TokenRequest: Hashable, Sendable {
    /// The policy's name (not case-sensitive), or `nil` for the default policy.
    public var policy: String?
    /// The policy of the last sign-in, if any, which issues the tokens if ``policy`` is a step-up policy.
    public var sessionPolicy: String?
    /// The client's id, or `nil` for ``AuthoritySettings/defaultClient``.
    public var client: String?
    /// The required scopes: `<api>/<scope>`, `<scope>` if only one API has it, or the client's id.
    public var scopes: [String]
    /// The meaning of the request if ``scopes`` is empty.
    public var omittedScope: OmittedScope
    /// The additional scopes to request if the user is prompted anyway.
    public var additionalScopes: [String]
    /// The audience, name or URI of the requested API (RFC 8707), or `nil` if the scopes determine the API.
    public var resource: String?
    /// The authentication contexts, one of which must be satisfied unless the array is empty (RFC 9470 §4).
    public var acrValues: [String]
    /// The maximum age of the authentication, in seconds, or `nil` for no limit.
    public var maxAge: Int64?
    /// The claims request (OpenID Connect Core §5.5), or `nil` for none.
    public var claims: JSONValue?

    /// Creates a request for `scopes`, with default values for all other properties.
    public init(scopes: [String]) {
        self.scopes = scopes
        omittedScope = .everything
        additionalScopes = []
        acrValues = []
    }
}
