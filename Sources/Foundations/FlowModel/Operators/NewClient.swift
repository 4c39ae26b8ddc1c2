public import OAuth

/// A client to register.
public struct NewClient: Hashable, Sendable {
    /// The name that users see, for example in the consent prompt.
    public var displayName: String
    /// The client type; only a confidential client receives a secret.
    public var type: ClientType
    /// The redirect URIs that the client may use, compared exactly except for loopback ports (RFC 8252 §7.3).
    public var redirectURIs: [String]
    /// The scopes that the client may request, as `<api>/<scope>`, or an empty array for all scopes of its APIs.
    public var scopes: [String]
    /// The audience of the only API that the client may use, or `nil` if the client is not restricted to one API.
    public var audience: String?
    /// The logout URIs.
    public var signOut: SignOutAddresses
    /// The algorithms that sign the tokens issued to the client.
    public var signing: TokenSigning

    /// Creates a client to register.
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

/// A newly registered client and its secret.
public struct AddedClient: Hashable, Sendable {
    /// The client as registered, with its new `client_id`.
    public let client: ClientSummary
    /// The client secret, shown only once and stored only as a hash, or `nil` for a public client.
    public let secret: Secret?

    /// Creates the result of a registration.
    public init(client: ClientSummary, secret: Secret?) {
        self.client = client
        self.secret = secret
    }
}
