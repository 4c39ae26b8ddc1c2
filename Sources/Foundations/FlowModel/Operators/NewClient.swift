public import OAuth

/// A client to register.
public struct NewClient: Hashable, Sendable {
    /// The name that users see, for example in the consent prompt.
    public var displayName: String
    /// The client type.
    ///
    /// The daemon generates a client secret only for a confidential client.
    public var type: ClientType
    /// The redirect URIs that the client may use.
    ///
    /// URIs are compared exactly, except for the port of loopback URIs (RFC 8252 §7.3).
    public var redirectURIs: [String]
    /// The scopes that the client may request, as `<api>/<scope>`.
    ///
    /// If the array is empty, the client may request all scopes of the APIs that it may use.
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
    /// The client secret, or `nil` for a public client.
    ///
    /// The secret is shown only once and stored only as a hash.
    public let secret: Secret?

    /// Creates the result of a registration.
    public init(client: ClientSummary, secret: Secret?) {
        self.client = client
        self.secret = secret
    }
}
