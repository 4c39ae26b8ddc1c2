/// A web API that tokens can be issued for.
public struct ProtectedAPI: Hashable, Sendable {
    /// The API's name, used in its scopes as `<name>/<scope>`.
    public let name: String
    /// The `aud` claim of tokens for the API.
    public let audience: String
    /// The URIs that clients can send as `resource`, to be added to the token's audience (RFC 8707 §2).
    public let resources: [String]
    /// The API's scopes, each with a description of what it allows.
    public let scopes: [String: String]
    /// The scopes that an authorization or device request without `scope` requests (RFC 6749 §3.3).
    public let defaultScopes: [String]

    var names: [String] { [audience, name] + resources }

    /// Creates a web API.
    public init(
        name: String,
        audience: String,
        resources: [String] = [],
        scopes: [String: String],
        defaultScopes: [String] = []
    ) {
        self.name = name
        self.audience = audience
        self.resources = resources
        self.scopes = scopes
        self.defaultScopes = defaultScopes
    }
}
