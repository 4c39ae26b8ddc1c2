public import FlowModel
public import Tokens

/// A client with everything that decisions on its requests depend on (RFC 6749 §2).
public struct OAuthClient: Hashable, Sendable {
    /// The client as operators see it.
    public let summary: ClientSummary
    /// `true` for a client that needs no consent.
    public let isFirstParty: Bool
    /// The APIs it may ask for, by name.
    public let apis: [String]
    /// The algorithm that signs its access tokens.
    public let accessTokenAlgorithm: SigningAlgorithm
    /// The algorithm that signs its ID tokens.
    public let idTokenAlgorithm: SigningAlgorithm

    /// A client; parameters left out have the defaults.
    public init(
        _ summary: ClientSummary,
        isFirstParty: Bool = false,
        apis: [String] = [],
        accessTokenAlgorithm: SigningAlgorithm = .es256,
        idTokenAlgorithm: SigningAlgorithm = .es256
    ) {
        self.summary = summary
        self.isFirstParty = isFirstParty
        self.apis = apis
        self.accessTokenAlgorithm = accessTokenAlgorithm
        self.idTokenAlgorithm = idTokenAlgorithm
    }

    /// The client id.
    public var id: String { summary.client }

    /// True if it may ask for a scope of an API.
    func mayAsk(for scope: String, of api: String) -> Bool {
        apis.contains(api) && (summary.scopes.isEmpty || summary.scopes.contains("\(api)/\(scope)"))
    }
}
