public import FlowModel
public import OAuth
public import Tokens

/// A client with everything that decisions on its requests depend on (RFC 6749 §2).
public struct OAuthClient: Hashable, Sendable {
    /// The client as operators see it.
    public let summary: ClientSummary
    /// `true` for a client that needs no consent.
    public let isFirstParty: Bool
    /// The APIs it may ask for, by name.
    public let apis: [String]
    /// The grants it may use over HTTP.
    public let grants: [GrantType]
    /// The ways in which it may prove who it is.
    public let methods: [ClientAuthenticationMethod]
    /// SHA-256 of its secret, 32 bytes; nil if it has none.
    public let secretHash: Secret?
    /// The keys that verify its statements; nil if it signs none.
    public let keys: JWKSet?
    /// The local processes that may use it at the socket, if it is confidential.
    public let allowed: AllowedPeers

    /// A client; parameters left out have the defaults, and a confidential client may show its secret either way.
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
            case .public: [.none]
            case .confidential: methods ?? [.clientSecretBasic, .clientSecretPost]
            }
        self.secretHash = secretHash
        self.keys = keys
        self.allowed = allowed
    }

    /// The client id.
    public var id: String { summary.client }

    /// The addresses a browser may be sent to after sign-out.
    var postLogoutRedirectURIs: [String] { summary.signOut.postLogoutRedirectURIs }

    /// The address at which it is told of sign-outs.
    var backchannelLogoutURI: String? { summary.signOut.backchannelLogoutURI }

    /// The algorithm that signs its access tokens.
    var accessTokenAlgorithm: SigningAlgorithm { SigningAlgorithm(summary.signing.accessToken) }

    /// The algorithm that signs its ID tokens.
    var idTokenAlgorithm: SigningAlgorithm { SigningAlgorithm(summary.signing.idToken) }

    /// True if it may ask for a scope of an API.
    func mayAsk(for scope: String, of api: String) -> Bool {
        apis.contains(api) && (summary.scopes.isEmpty || summary.scopes.contains("\(api)/\(scope)"))
    }
}

extension SigningAlgorithm {
    /// The algorithm that a client is registered with.
    fileprivate init(_ algorithm: TokenSigning.Algorithm) {
        switch algorithm {
        case .es256: self = .es256
        case .edDSA: self = .eddsa
        case .rs256: self = .rs256
        }
    }
}
