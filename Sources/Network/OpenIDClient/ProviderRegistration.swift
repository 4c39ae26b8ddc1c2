public import OAuth

/// An external provider, and the local client's registration with that provider.
public struct ProviderRegistration: Hashable, Sendable {
    /// How the provider's endpoints are found, and how the provider identifies a user.
    public enum Place: Hashable, Sendable {
        /// OpenID Connect, with all endpoints in the issuer's metadata.
        case issuer
        /// OAuth 2.0 without ID tokens, where the `userinfo` endpoint identifies the user.
        case endpoints(authorization: String, token: String, userinfo: String)
        /// OpenID Connect with a policy, as in Azure AD B2C, whose tokens contain the policy's name.
        case policy(String, metadata: String)
    }

    /// How to make the provider prompt a user to sign in again, even if the user already has a session at the provider.
    public enum Reauthentication: Hashable, Sendable {
        /// By sending `prompt` and `max_age`, after which the ID token has a sign-in time (OpenID Connect Core
        /// §3.1.2.1).
        case standard
        /// By sending these parameters, if there are any, without learning when the user signed in.
        case parameters([String: String])
    }

    /// The claims that contain a user's id and attributes, where a dot in a name selects a member of an object.
    public struct Claims: Hashable, Sendable {
        /// The claim that identifies a user and never changes.
        public var subject: String
        /// The name of the provider's claim for each local attribute.
        public var attributes: [String: String]
        /// Whether e-mail addresses that the provider reports as verified are trusted.
        public var trustsEmail: Bool

        /// The standard OpenID Connect claims (Core §5.1).
        public static let standard = Claims(
            subject: "sub",
            attributes: StandardClaims.byAttribute,
            trustsEmail: true
        )

        /// Creates a mapping of claims.
        public init(subject: String, attributes: [String: String], trustsEmail: Bool) {
            self.subject = subject
            self.attributes = attributes
            self.trustsEmail = trustsEmail
        }
    }

    /// The uid of the local user who added the registration, or `nil` if the operator configured it.
    public let uid: UInt32?
    /// The name of the provider in the local configuration, in tokens and in the audit log.
    public let name: String
    /// The name to display.
    public let displayName: String
    /// The issuer, or the tenant's URL if there are policies, which identifies a user together with the subject.
    public let issuer: String
    /// How the provider's endpoints are found, and how the provider identifies a user.
    public private(set) var place: Place
    /// The local client's id at the provider.
    public let clientID: String
    /// The redirect URI, as registered with the provider.
    public private(set) var redirectURI: String
    /// The client secret, or `nil` for a public client.
    public let secret: Secret?
    /// The client's private key, or `nil` if the client authenticates with a secret or not at all.
    public let key: ClientKey?
    /// The method of client authentication, or `nil` to choose one from the provider's metadata.
    public let authentication: ClientSecretMethod?
    /// The scopes to request.
    public let scopes: [String]
    /// Additional parameters of the authorization request.
    public let parameters: [String: String]
    /// How the provider's claims map to local attributes.
    public let claims: Claims
    /// How the provider reports which client an access token was issued to.
    public let confirmation: TokenConfirmation
    /// How to make the provider prompt a user to sign in again.
    public let reauthentication: Reauthentication

    /// The id of the current call, which is sent to the provider as `client-request-id`, or `nil` to send none.
    public private(set) var correlationID: CorrelationID?
    /// The uid of the local user whose limits the current call counts against, or `nil` if there is none.
    public private(set) var caller: UInt32?

    /// Creates a registration.
    public init(
        name: String,
        displayName: String? = nil,
        issuer: String,
        place: Place = .issuer,
        clientID: String,
        redirectURI: String,
        secret: Secret? = nil,
        key: ClientKey? = nil,
        authentication: ClientSecretMethod? = nil,
        scopes: [String] = ["openid", "profile", "email"],
        parameters: [String: String] = [:],
        claims: Claims = .standard,
        confirmation: TokenConfirmation = .introspection,
        reauthentication: Reauthentication? = nil,
        uid: UInt32? = nil
    ) {
        self.uid = uid
        self.name = name
        self.displayName = displayName ?? name
        self.issuer = issuer
        self.place = place
        self.clientID = clientID
        self.redirectURI = redirectURI
        self.secret = secret
        self.key = key
        self.authentication = authentication
        self.scopes = scopes
        self.parameters = parameters
        self.claims = claims
        self.confirmation = confirmation
        self.reauthentication = reauthentication ?? place.reauthentication
    }

    /// Returns the cache key for an address.
    ///
    /// If a user added the registration, the key contains the uid, so a malicious authority affects only that user.
    func memory(_ address: String) -> String { uid.map { "\($0) \(address)" } ?? address }

    /// Returns a copy for one call for the local user `uid`, or for no user if `uid` is `nil`.
    public func called(by correlationID: CorrelationID, for uid: UInt32? = nil) -> ProviderRegistration {
        var registration = self
        registration.correlationID = correlationID
        registration.caller = uid
        return registration
    }

    /// Returns a copy of the registration with another redirect URI, for one sign-in.
    public func returning(to redirectURI: String) -> ProviderRegistration {
        var registration = self
        registration.redirectURI = redirectURI
        return registration
    }

    /// Returns a copy of the registration for a policy whose metadata is at the address `metadata`.
    public func running(_ policy: String, metadata: String) -> ProviderRegistration {
        var registration = self
        registration.place = .policy(policy, metadata: metadata)
        return registration
    }
}

extension ProviderRegistration.Place {
    /// The default way to make a provider prompt again, for which plain OAuth 2.0 has no parameter.
    fileprivate var reauthentication: ProviderRegistration.Reauthentication {
        switch self {
        case .issuer, .policy: .standard
        case .endpoints: .parameters([:])
        }
    }
}
