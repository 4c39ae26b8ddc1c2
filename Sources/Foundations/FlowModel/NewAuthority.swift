public import OAuth

/// The parameters of `authority.add`: an outside authority for the caller's uid alone.
public struct NewAuthority: Hashable, Sendable {
    /// The well-known authorities.
    public enum Preset: String, Hashable, Sendable, CaseIterable {
        case google
        case entra
        case github
        case keycloak
        case gitlab
    }

    /// The authority's name, which stands where a policy is named.
    public let authority: String
    /// The issuer; nil for that of the preset.
    public let url: String?
    /// The preset, which knows addresses, scopes and parameters.
    public var preset: Preset?
    /// The client id that the authority gave.
    public let clientID: String
    /// The client's secret; nil for a public client.
    public var clientSecret: Secret?
    /// The name to show.
    public var displayName: String?
    /// The scopes of a token that is asked for without any.
    public var scopes: [String] = []
    /// Scopes to ask consent for, too.
    public var additionalScopes: [String] = []
    /// More parameters of the authorization request.
    public var parameters: [String: String] = [:]
    /// The origins that its tokens may be sent to, as `https://host[:port]`.
    public var origins: [String] = []

    /// An authority at `url`, with everything else at its default.
    public init(_ authority: String, url: String?, clientID: String) {
        self.authority = authority
        self.url = url
        self.clientID = clientID
    }
}

/// An outside authority as its users see it.
public struct AuthoritySummary: Hashable, Sendable {
    /// The name, which stands where a policy is named.
    public let name: String
    /// The name to show.
    public let displayName: String
    /// The issuer.
    public let url: String
    /// The client id there.
    public let clientID: String
    /// The scopes of a token that is asked for without any.
    public let scopes: [String]
    /// True if the uid has added it; false for one of the operator's.
    public let isOwn: Bool
    /// The things that it can do; nil where nobody has just looked.
    public let found: AuthorityAbilities?

    /// An authority.
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

/// The things that an authority's metadata say of it.
public struct AuthorityAbilities: Hashable, Sendable {
    /// True if it issues ID tokens.
    public let identifies: Bool
    /// True if it gives refresh tokens, as far as it says.
    public let keepsSignedIn: Bool
    /// True if it revokes refresh tokens.
    public let revokes: Bool
    /// True if it has a place to end its own session.
    public let endsSessions: Bool
    /// The scopes that it says it has; at most 64.
    public let scopes: [String]

    /// Says what an authority can do.
    public init(identifies: Bool, keepsSignedIn: Bool, revokes: Bool, endsSessions: Bool, scopes: [String]) {
        self.identifies = identifies
        self.keepsSignedIn = keepsSignedIn
        self.revokes = revokes
        self.endsSessions = endsSessions
        self.scopes = scopes
    }
}
