public import RemoteKeys

/// An authority whose tokens are believed, and for what.
public struct Trust: Hashable, Sendable {
    /// The way to its name and keys.
    public let source: AuthoritySource
    /// The name under which the owners of its rows are kept, so that no other authority can name them.
    ///
    /// That of an authority that is followed stays when its base moves, and with it everybody's rows.
    public let realm: AuthorityName
    /// The policies whose tokens are believed; nil for all of them.
    public var policies: Set<String>?
    /// The audiences; one of them stands in `aud` of a token.
    public let audiences: [String]
    /// Whether a token must have the scope of what is asked for.
    public var requiresScopes = true

    /// Trust in the tokens of an authority that is known by name, for `audiences`.
    public init(_ name: AuthorityName, at origin: KeyOrigin, audiences: [String]) {
        realm = name
        source = .named(name, at: origin)
        self.audiences = audiences
    }

    /// Trust in the tokens of the authority that answers at the first of `sockets`, whatever its name.
    public init(following sockets: [LocalSocket], realm: AuthorityName, audiences: [String]) {
        source = .followed(sockets)
        self.realm = realm
        self.audiences = audiences
    }

    /// Whether tokens of a policy are believed.
    func believes(_ policy: String) -> Bool { policies?.contains(policy) ?? true }
}
