public import RemoteKeys

/// A trusted authority, with the policies and audiences of the tokens that are accepted.
public struct Trust: Hashable, Sendable {
    /// The source of its name and keys.
    public let source: AuthoritySource
    /// The namespace of the owners of its rows, so that no other authority can name them.
    ///
    /// For an authority that is followed it stays the same when the base changes, so that everybody keeps their rows.
    public let realm: AuthorityName
    /// The policies whose tokens are accepted, the first for whoever has no token; nil for all of them.
    public var policies: [String]?
    /// The accepted audiences; a token's `aud` must hold one of them.
    public let audiences: [String]
    /// True if a token must grant the scope that a resource requires.
    public var requiresScopes = true

    /// Trusts the tokens of an authority that is known by name, for `audiences`.
    public init(_ name: AuthorityName, at origin: KeyOrigin, audiences: [String]) {
        realm = name
        source = .named(name, at: origin)
        self.audiences = audiences
    }

    /// Trusts the tokens of the authority that answers at the first of `sockets`, whatever its name.
    public init(following sockets: [LocalSocket], realm: AuthorityName, audiences: [String]) {
        source = .followed(sockets)
        self.realm = realm
        self.audiences = audiences
    }

    /// True if tokens of the policy are accepted.
    func believes(_ policy: String) -> Bool { policies?.contains(policy) ?? true }
}
