/// A web API that tokens are for.
public struct ProtectedAPI: Hashable, Sendable {
    /// The name, with which its scopes begin: `<name>/<scope>`.
    public let name: String
    /// `aud` of its tokens.
    public let audience: String
    /// The URIs under which clients may ask for it, each an audience of its tokens if asked for (RFC 8707 §2).
    public let resources: [String]
    /// Its scopes, with what each allows in words.
    public let scopes: [String: String]

    /// The names under which a request may ask for it.
    var names: [String] { [audience, name] + resources }

    /// A web API that tokens are for.
    public init(name: String, audience: String, resources: [String] = [], scopes: [String: String]) {
        self.name = name
        self.audience = audience
        self.resources = resources
        self.scopes = scopes
    }
}
