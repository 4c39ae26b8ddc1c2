/// A registered client (RFC 6749 §2), as reported to operators.
public struct ClientSummary: Hashable, Sendable {
    /// The client's `client_id`.
    public let client: String
    /// The name that users see, for example in the consent prompt.
    public let name: String
    /// The client type: public, browser or confidential.
    public let type: ClientType
    /// The registered redirect URIs (RFC 6749 §3.1.2).
    public let redirectURIs: [String]
    /// The scopes that the client may request, as `<api>/<scope>`, or an empty array for all scopes of its APIs.
    public let scopes: [String]
    /// The audience of the only API that the client may use, or `nil` if the client is not restricted to one API.
    public let audience: String?
    /// The logout URIs.
    public let signOut: SignOutAddresses
    /// The algorithms that sign the tokens issued to the client.
    public let signing: TokenSigning
    /// Whether the configuration defines the client, so that JSON-RPC methods cannot change it.
    public let configured: Bool

    /// Creates the summary of a client.
    public init(
        client: String,
        name: String,
        type: ClientType = .public,
        redirectURIs: [String] = [],
        scopes: [String] = [],
        audience: String? = nil,
        signOut: SignOutAddresses = SignOutAddresses(),
        signing: TokenSigning = TokenSigning(),
        configured: Bool = false
    ) {
        self.client = client
        self.name = name
        self.type = type
        self.redirectURIs = redirectURIs
        self.scopes = scopes
        self.audience = audience
        self.signOut = signOut
        self.signing = signing
        self.configured = configured
    }
}

/// The client types (RFC 6749 §2.1), of which only a confidential client can keep a secret.
public enum ClientType: String, Hashable, Sendable, CaseIterable {
    case `public`
    /// A public client that runs in web pages and calls the authority from the origins of its redirect URIs.
    case browser
    case confidential
}
