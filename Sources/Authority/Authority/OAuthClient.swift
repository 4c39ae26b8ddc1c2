public import FlowModel
public import OAuth
public import Tokens

/// A client (RFC 6749 §2), with everything that is needed to evaluate the client's requests.
public struct OAuthClient: Hashable, Sendable {
    /// The client as shown to operators.
    public let summary: ClientSummary
    /// Whether this is a first-party client, which does not need the user's consent.
    public let isFirstParty: Bool
    /// The names of the APIs that the client may request tokens for.
    public let apis: [String]
    /// The grant types that the client may use over HTTP.
    public let grants: [GrantType]
    /// The methods that the client may use to authenticate.
    public let methods: [ClientAuthenticationMethod]
    /// The SHA-256 hash of the client's secret, or `nil` if the client has no secret.
    public let secretHash: Secret?
    /// The keys that verify the client's assertions, or `nil` if the client has none.
    public let keys: JWKSet?
    /// The local processes that may use a confidential client over the socket.
    public let allowed: AllowedPeers
    /// The origins of a browser client's redirect URIs, or an empty set for any other client.
    ///
    /// Pages of these origins may call the token, revocation and userinfo endpoints for this client.
    public let pageOrigins: Set<String>

    /// Creates a client, which by default may send its secret in the request's header or body if it is confidential.
    public init(
        _ summary: ClientSummary,
        isFirstParty: Bool = false,
        apis: [String] = [],
        grants: [GrantType] = [.authorizationCode, .refreshToken],
        methods: [ClientAuthenticationMethod]? = nil,
        secretHash: Secret? = nil,
        keys: JWKSet? = nil,
        allowed: AllowedPeers = .none
    ) {
        self.summary = summary
        self.isFirstParty = isFirstParty
        self.apis = apis
        self.grants = grants
        self.methods =
            switch summary.type {
            case .public, .browser: [.none]
            case .confidential: methods ?? [.clientSecretBasic, .clientSecretPost]
            }
        self.secretHash = secretHash
        self.keys = keys
        self.allowed = allowed
        pageOrigins =
            switch summary.type {
            case .browser: Set(summary.redirectURIs.compactMap { WebOrigin($0)?.description })
            case .public, .confidential: []
            }
    }

    /// The client's id (`client_id`).
    public var id: String { summary.client }

    var postLogoutRedirectURIs: [String] { summary.signOut.postLogoutRedirectURIs }

    var backchannelLogoutURI: String? { summary.signOut.backchannelLogoutURI }

    var accessTokenAlgorithm: SigningAlgorithm { SigningAlgorithm(summary.signing.accessToken) }

    var idTokenAlgorithm: SigningAlgorithm { SigningAlgorithm(summary.signing.idToken) }

    /// Whether the client registered a redirect URI, for a browser client including the port of a loopback address.
    func hasRegistered(_ uri: RedirectURI) -> Bool {
        switch summary.type {
        case .browser: summary.redirectURIs.contains { $0.utf8.elementsEqual(uri.description.utf8) }
        case .public, .confidential: summary.redirectURIs.contains { (try? RedirectURI($0))?.allows(uri) == true }
        }
    }

    func mayAsk(for scope: String, of api: String) -> Bool {
        apis.contains(api) && (summary.scopes.isEmpty || summary.scopes.contains("\(api)/\(scope)"))
    }
}

extension SigningAlgorithm {
    fileprivate init(_ algorithm: TokenSigning.Algorithm) {
        switch algorithm {
        case .es256: self = .es256
        case .edDSA: self = .eddsa
        case .rs256: self = .rs256
        }
    }
}
