/// A client that the authority knows (RFC 6749 §2), as operators see one.
public struct ClientSummary: Hashable, Sendable {
    /// The client id.
    public let client: String
    /// The name to show.
    public let name: String
    /// The type, by which it can keep a secret or not.
    public let type: ClientType
    /// The addresses that answers may be sent to (RFC 6749 §3.1.2).
    public let redirectURIs: [String]
    /// The scopes it may ask for, as `<api>/<scope>`; empty means all of its APIs.
    public let scopes: [String]
    /// The audience of the only API it may ask for; nil if its APIs are named or all.
    public let audience: String?
    /// The addresses at which sign-outs reach it.
    public let signOut: SignOutAddresses
    /// The algorithms that sign its tokens.
    public let signing: TokenSigning
    /// `true` for a client of the configuration, which no method changes.
    public let configured: Bool

    /// A client.
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

/// The types of clients (RFC 6749 §2.1); the words on the wire.
public enum ClientType: String, Hashable, Sendable, CaseIterable {
    /// A client that cannot keep a secret.
    case `public`
    /// A client that can keep a secret.
    case confidential
}
