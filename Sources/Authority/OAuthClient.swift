public import Tokens

/// A program that asks for tokens (RFC 6749 §2).
public struct OAuthClient: Hashable, Sendable {
    /// The client id.
    public let id: String
    /// What people call it.
    public let name: String
    /// Whether it keeps a secret (RFC 6749 §2.1).
    public let isConfidential: Bool
    /// Whether it needs no consent.
    public let isFirstParty: Bool
    /// The APIs it may ask for, by name.
    public let apis: [String]
    /// The scopes it may ask for, as `<api>/<scope>`; empty means all of its APIs.
    public let scopes: [String]
    /// The audience of the only API it may ask for; nil if its APIs are named or all.
    public let audience: String?
    /// Where answers may go.
    public let redirectURIs: [String]
    /// What its access tokens are signed with.
    public let accessTokenAlgorithm: SigningAlgorithm
    /// What its ID tokens are signed with.
    public let idTokenAlgorithm: SigningAlgorithm
    /// Whether it stands in the configuration and is read-only.
    public let isConfigured: Bool

    /// A program that asks for tokens; what is left out has the default.
    public init(
        id: String,
        name: String? = nil,
        isConfidential: Bool = false,
        isFirstParty: Bool = false,
        apis: [String] = [],
        scopes: [String] = [],
        audience: String? = nil,
        redirectURIs: [String] = [],
        accessTokenAlgorithm: SigningAlgorithm = .es256,
        idTokenAlgorithm: SigningAlgorithm = .es256,
        isConfigured: Bool = true
    ) {
        self.id = id
        self.name = name ?? id
        self.isConfidential = isConfidential
        self.isFirstParty = isFirstParty
        self.apis = apis
        self.scopes = scopes
        self.audience = audience
        self.redirectURIs = redirectURIs
        self.accessTokenAlgorithm = accessTokenAlgorithm
        self.idTokenAlgorithm = idTokenAlgorithm
        self.isConfigured = isConfigured
    }

    /// Whether it may ask for a scope of an API.
    func mayAsk(for scope: String, of api: String) -> Bool {
        apis.contains(api) && (scopes.isEmpty || scopes.contains("\(api)/\(scope)"))
    }
}
