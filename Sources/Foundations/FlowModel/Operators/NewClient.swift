public import OAuth

/// A client to be registered.
public struct NewClient: Hashable, Sendable {
    /// The name to show.
    public var displayName: String
    /// The type; a confidential client is given a secret.
    public var type: ClientType
    /// The addresses that answers may be sent to: exact, except for the port on loopback (RFC 8252 §7.3).
    public var redirectURIs: [String]
    /// The scopes it may ask for, as `<api>/<scope>`; empty means all of its APIs.
    public var scopes: [String]
    /// The audience of the only API it may ask for.
    public var audience: String?
    /// The addresses at which sign-outs reach it.
    public var signOut: SignOutAddresses
    /// The algorithms that sign its tokens.
    public var signing: TokenSigning

    /// A client to be registered.
    public init(
        displayName: String,
        type: ClientType = .public,
        redirectURIs: [String] = [],
        scopes: [String] = [],
        audience: String? = nil,
        signOut: SignOutAddresses = SignOutAddresses(),
        signing: TokenSigning = TokenSigning()
    ) {
        self.displayName = displayName
        self.type = type
        self.redirectURIs = redirectURIs
        self.scopes = scopes
        self.audience = audience
        self.signOut = signOut
        self.signing = signing
    }
}

/// A client that was registered, and its secret if it keeps one.
public struct AddedClient: Hashable, Sendable {
    /// The client.
    public let client: ClientSummary
    /// The secret, shown this once; only its hash is stored.
    public let secret: Secret?

    /// A client that was registered.
    public init(client: ClientSummary, secret: Secret?) {
        self.client = client
        self.secret = secret
    }
}
