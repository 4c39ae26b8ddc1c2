public import RemoteKeys

/// A trusted authority, with the policies and audiences of the tokens that this API accepts.
public struct Trust: Hashable, Sendable {
    /// The source of the authority's name and keys.
    public let source: AuthoritySource
    /// The namespace of row owners for this authority's users.
    ///
    /// Tokens from other authorities cannot refer to owners in this namespace.
    ///
    /// The realm stays the same if the base URL of a local authority changes, so users do not lose their rows.
    public let realm: AuthorityName
    /// The policies whose tokens are accepted, or `nil` for all.
    ///
    /// A client without a token is referred to the first policy.
    public var policies: [String]?
    /// The accepted audiences.
    ///
    /// A token's `aud` must contain one of them.
    public let audiences: [String]
    /// Whether a token must grant the scope that a resource requires.
    public var requiresScopes = true

    /// Trusts tokens for `audiences` that were issued by an authority with a known name.
    public init(_ name: AuthorityName, at origin: KeyOrigin, audiences: [String]) {
        realm = name
        source = .named(name, at: origin)
        self.audiences = audiences
    }

    /// Trusts tokens for `audiences` that were issued by a local authority, reached at the first of `sockets` that
    /// exists.
    ///
    /// The authority reports its own name.
    public init(following sockets: [LocalSocket], realm: AuthorityName, audiences: [String]) {
        source = .followed(sockets)
        self.realm = realm
        self.audiences = audiences
    }

    /// Returns whether tokens issued under the policy are accepted.
    func believes(_ policy: String) -> Bool { policies?.contains(policy) ?? true }
}
