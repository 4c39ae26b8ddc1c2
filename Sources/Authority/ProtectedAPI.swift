/// A web API that tokens are for.
public struct ProtectedAPI: Hashable, Sendable {
    /// The name, with which its scopes begin: `<name>/<scope>`.
    public let name: String
    /// `aud` of its tokens.
    public let audience: String
    /// Its scopes, with what each allows in words.
    public let scopes: [String: String]

    /// A web API that tokens are for.
    public init(name: String, audience: String, scopes: [String: String]) {
        self.name = name
        self.audience = audience
        self.scopes = scopes
    }
}
