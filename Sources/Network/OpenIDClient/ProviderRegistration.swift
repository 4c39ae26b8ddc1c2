public import OAuth

/// A provider outside, and our registration there.
public struct ProviderRegistration: Hashable, Sendable {
    /// The ways in which the provider says who a person is.
    public enum Place: Hashable, Sendable {
        /// OpenID Connect: the issuer, whose metadata name everything else.
        case issuer
        /// OAuth 2.0 without ID tokens: these endpoints, of which the last says who a person is.
        case endpoints(authorization: String, token: String, userinfo: String)
        /// OpenID Connect by a policy, as Azure AD B2C has it: the metadata are at this address, and tokens name the policy.
        case policy(String, metadata: String)
    }

    /// The ways in which a provider is told to ask a person again, though it knows them.
    public enum Reauthentication: Hashable, Sendable {
        /// By `prompt` and `max_age`; the ID token says when the person signed in (OpenID Connect Core §3.1.2.1).
        case standard
        /// By parameters of its own, of which there may be none; nothing says when the person signed in.
        case parameters([String: String])
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

    /// The person whose registration it is; nil for the operator's.
    public let uid: UInt32?
    /// The name in our configuration, tokens and audit.
    public let name: String
    /// The name to show.
    public let displayName: String
    /// The issuer, or the tenant of an authority with policies: with the subject it is a person's identity, for ever.
    public let issuer: String
    /// The way in which the provider says who a person is.
    public private(set) var place: Place
    /// Our client id there.
    public let clientID: String
    /// The address that the provider sends people back to, as it is registered there.
    public private(set) var redirectURI: String
    /// Our secret there; nil for a public client.
    public let secret: Secret?
    /// Our private key there; nil if a secret, or nothing, proves who we are.
    public let key: ClientKey?
    /// The way in which we prove who we are; nil for one that the provider's metadata name.
    public let authentication: ClientSecretMethod?
    /// The scopes to ask for.
    public let scopes: [String]
    /// More parameters of the authorization request.
    public let parameters: [String: String]
    /// The claims that say something about a person.
    public let claims: Claims
    /// The way in which the provider says whose an access token is.
    public let confirmation: TokenConfirmation
    /// The way in which it is told to ask a person again.
    public let reauthentication: Reauthentication

    /// The id of the call that is under way, which the provider is told as `client-request-id`.
    public private(set) var correlationID: CorrelationID?
    /// The user of this machine for whom it is made, who has a share of the calls; nil for anybody else.
    public private(set) var caller: UInt32?

    /// Describes a provider and our registration there.
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

    /// Returns the name under which something of an address is remembered.
    ///
    /// People name authorities as they like, also ones that lie: what the calls for one of them taught is believed by nobody
    /// else, and held against nobody else.
    func memory(_ address: String) -> String { uid.map { "\($0) \(address)" } ?? address }

    /// Returns the same registration for one call.
    ///
    /// - Parameters:
    ///   - correlationID: The id of the call.
    ///   - uid: The user of this machine for whom it is made; nil for anybody else.
    /// - Returns: The registration.
    public func called(by correlationID: CorrelationID, for uid: UInt32? = nil) -> ProviderRegistration {
        var registration = self
        registration.correlationID = correlationID
        registration.caller = uid
        return registration
    }

    /// Returns the same registration for one sign-in, from which the provider sends people back elsewhere.
    public func returning(to redirectURI: String) -> ProviderRegistration {
        var registration = self
        registration.redirectURI = redirectURI
        return registration
    }

    /// Returns the same registration at one policy of the authority.
    ///
    /// - Parameters:
    ///   - policy: The policy's name there.
    ///   - metadata: The address of its metadata.
    /// - Returns: The registration.
    public func running(_ policy: String, metadata: String) -> ProviderRegistration {
        var registration = self
        registration.place = .policy(policy, metadata: metadata)
        return registration
    }
}

extension ProviderRegistration.Place {
    /// The way of providers of this kind to be told to ask a person again: OAuth 2.0 alone has none.
    fileprivate var reauthentication: ProviderRegistration.Reauthentication {
        switch self {
        case .issuer, .policy: .standard
        case .endpoints: .parameters([:])
        }
    }
}
