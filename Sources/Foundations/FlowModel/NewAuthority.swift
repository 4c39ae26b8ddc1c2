public import OAuth

/// The parameters of the method `authority.add`, which adds an external authority for the caller's uid only.
public struct NewAuthority: Hashable, Sendable {
    /// The well-known authorities that have built-in settings.
    public enum Preset: String, Hashable, Sendable, CaseIterable {
        case google
        case entra
        case github
        case keycloak
        case gitlab
    }

    /// The name of the authority, used in place of a policy name.
    public let authority: String
    /// The issuer, or `nil` to use the preset's issuer.
    public let url: String?
    /// The preset that supplies addresses, scopes and parameters, or `nil` to use no preset.
    public var preset: Preset?
    /// The `client_id` that the authority issued.
    public let clientID: String
    /// The client secret, or `nil` for a public client.
    public var clientSecret: Secret?
    /// The name that users see, or `nil` to use the default name.
    public var displayName: String?
    /// The default scopes for token requests.
    public var scopes: [String] = []
    /// Additional scopes that the user is asked to consent to.
    public var additionalScopes: [String] = []
    /// Additional parameters of the authorization request.
    public var parameters: [String: String] = [:]
    /// The origins that the authority's tokens may be sent to, in the form `https://host[:port]`.
    public var origins: [String] = []

    /// Creates parameters with a name, an issuer and a client id, and with default values for everything else.
    public init(_ authority: String, url: String?, clientID: String) {
        self.authority = authority
        self.url = url
        self.clientID = clientID
    }
}

/// An external authority that a caller can use, as reported to that caller.
public struct AuthoritySummary: Hashable, Sendable {
    /// The name of the authority, which requests contain in place of a policy name.
    public let name: String
    /// The name that users see.
    public let displayName: String
    /// The authority's issuer.
    public let url: String
    /// The `client_id` that the authority issued.
    public let clientID: String
    /// The default scopes for token requests.
    public let scopes: [String]
    /// Whether the caller's uid added the authority, rather than the operator.
    public let isOwn: Bool
    /// The features that the authority supports, or `nil` if its metadata was not read for this summary.
    public let found: AuthorityAbilities?

    /// Creates the summary of an authority.
    public init(
        name: String,
        displayName: String,
        url: String,
        clientID: String,
        scopes: [String],
        isOwn: Bool,
        found: AuthorityAbilities? = nil
    ) {
        self.name = name
        self.displayName = displayName
        self.url = url
        self.clientID = clientID
        self.scopes = scopes
        self.isOwn = isOwn
        self.found = found
    }
}

/// The features that an authority supports, according to its metadata.
public struct AuthorityAbilities: Hashable, Sendable {
    /// Whether the authority issues ID tokens.
    public let identifies: Bool
    /// Whether the authority issues refresh tokens, according to its built-in preset or, if unknown, its metadata.
    public let keepsSignedIn: Bool
    /// Whether the authority supports revocation of refresh tokens.
    public let revokes: Bool
    /// Whether the authority has an endpoint that ends the user's session (`end_session_endpoint`).
    public let endsSessions: Bool
    /// The scopes that the authority's metadata lists, limited to the first 64.
    public let scopes: [String]

    /// Creates a description of the features that an authority supports.
    public init(identifies: Bool, keepsSignedIn: Bool, revokes: Bool, endsSessions: Bool, scopes: [String]) {
        self.identifies = identifies
        self.keepsSignedIn = keepsSignedIn
        self.revokes = revokes
        self.endsSessions = endsSessions
        self.scopes = scopes
    }
}
