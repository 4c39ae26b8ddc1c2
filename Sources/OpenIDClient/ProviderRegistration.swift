public import OAuth

/// A provider outside, and our registration there.
public struct ProviderRegistration: Hashable, Sendable {
    /// The ways in which the provider says who a person is.
    public enum Place: Hashable, Sendable {
        /// OpenID Connect: the issuer, whose metadata name everything else.
        case issuer
        /// OAuth 2.0 without ID tokens: these endpoints, of which the last says who a person is.
        case endpoints(authorization: String, token: String, userinfo: String)
    }

    /// The ways in which a client proves at the token endpoint who it is (OpenID Connect Core §9).
    public enum Authentication: String, CaseIterable, Hashable, Sendable {
        /// In the `Authorization` header.
        case basic = "client_secret_basic"
        /// In the form.
        case post = "client_secret_post"
        /// Not at all: a public client.
        case none
    }

    /// The claims of the provider that say something about a person; a dot goes into a member.
    public struct Claims: Hashable, Sendable {
        /// The claim that tells people apart and never changes.
        public var subject: String
        /// The provider's claim of each of our attributes.
        public var attributes: [String: String]
        /// True if the provider's word that it has verified an e-mail address counts.
        public var trustsEmail: Bool

        /// The claims of OpenID Connect (Core §5.1).
        public static let standard = Claims(
            subject: "sub",
            attributes: StandardClaims.byAttribute,
            trustsEmail: true
        )

        /// Names the claims.
        public init(subject: String, attributes: [String: String], trustsEmail: Bool) {
            self.subject = subject
            self.attributes = attributes
            self.trustsEmail = trustsEmail
        }
    }

    /// The name in our configuration, tokens and audit.
    public let name: String
    /// The name to show.
    public let displayName: String
    /// The issuer: with the subject it is a person's identity, for ever.
    public let issuer: String
    /// The way in which the provider says who a person is.
    public let place: Place
    /// Our client id there.
    public let clientID: String
    /// The address that the provider sends people back to, as it is registered there.
    public let redirectURI: String
    /// Our secret there; nil for a public client.
    public let secret: Secret?
    /// The way in which we prove who we are; nil for one that the provider's metadata name.
    public let authentication: Authentication?
    /// The scopes to ask for.
    public let scopes: [String]
    /// More parameters of the authorization request.
    public let parameters: [String: String]
    /// The claims that say something about a person.
    public let claims: Claims
    /// The way in which the provider says whose an access token is.
    public let confirmation: TokenConfirmation

    /// Describes a provider and our registration there.
    public init(
        name: String,
        displayName: String? = nil,
        issuer: String,
        place: Place = .issuer,
        clientID: String,
        redirectURI: String,
        secret: Secret? = nil,
        authentication: Authentication? = nil,
        scopes: [String] = ["openid", "profile", "email"],
        parameters: [String: String] = [:],
        claims: Claims = .standard,
        confirmation: TokenConfirmation = .introspection
    ) {
        self.name = name
        self.displayName = displayName ?? name
        self.issuer = issuer
        self.place = place
        self.clientID = clientID
        self.redirectURI = redirectURI
        self.secret = secret
        self.authentication = authentication
        self.scopes = scopes
        self.parameters = parameters
        self.claims = claims
        self.confirmation = confirmation
    }
}
