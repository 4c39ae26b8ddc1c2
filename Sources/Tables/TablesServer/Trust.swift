public import RemoteKeys

/// A trusted authority, and the policies and audiences of the tokens that this API accepts from it.
public struct Trust: Hashable, Sendable {
    /// The source of the authority's name and keys.
    public let source: AuthoritySource
    /// The prefix of the owners of rows, which separates this authority's users from those of other authorities.
    ///
    /// The realm stays the same if a local authority's base URL changes, so users do not lose their rows.
    public let realm: AuthorityName
    /// The policies whose tokens are accepted, or `nil` for all.
    ///
    /// A client without a token is referred to the first policy.
    public var policies: [String]?
    /// The accepted audiences, of which a token's `aud` must contain at least one.
    public let audiences: [String]
    /// Whether a token must grant the scope that a resource requires.
    public var requiresScopes = true

    /// Creates an entry for the authority `name` with keys from `origin`, for tokens with at least one of `audiences`.
    public init(_ name: AuthorityName, at origin: KeyOrigin, audiences: [String]) {
        realm = name
        source = .named(name, at: origin)
        self.audiences = audiences
    }

    /// Creates an entry for a trusted local authority.
    ///
    /// The authority reports its name over the first existing socket in `sockets`. A token's `aud` must contain at
    /// least one of `audiences`.
    public init(following sockets: [LocalSocket], realm: AuthorityName, audiences: [String]) {
        source = .followed(sockets)
        self.realm = realm
        self.audiences = audiences
    }

    func believes(_ policy: String) -> Bool { policies?.contains(policy) ?? true }
}
