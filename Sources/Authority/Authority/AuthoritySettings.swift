public import Policies

/// The part of the configuration that the authority uses.
public struct AuthoritySettings: Hashable, Sendable {
    /// The client id for requests that do not specify a client.
    public static let defaultClient = "tokenbroker-cli"

    /// The base URL (`{base}`), which consists of scheme, host and port, without a trailing slash.
    public let base: String
    /// The value of `{tenant}` in every issuer.
    public let tenant: String
    /// The APIs that tokens can be issued for, keyed by name.
    public let apis: [String: ProtectedAPI]
    /// The configured clients, keyed by id.
    public let clients: [String: OAuthClient]
    /// The policy to use if neither the request nor the account specifies a policy.
    public let defaultPolicy: PolicyID
    /// How long after its rotation a refresh token can be presented again over HTTP, in case its response was lost.
    public let refreshGrace: Duration
    /// The prefix that all policy URLs share, in lower case.
    private let root: String

    /// Creates settings from values in the configuration.
    public init(
        base: String,
        tenant: String,
        apis: [ProtectedAPI],
        clients: [OAuthClient],
        defaultPolicy: PolicyID,
        refreshGrace: Duration
    ) {
        self.base = base
        self.tenant = tenant
        self.apis = Dictionary(apis.map { ($0.name, $0) }) { first, _ in first }
        self.clients = Dictionary(clients.map { ($0.id, $0) }) { first, _ in first }
        self.defaultPolicy = defaultPolicy
        self.refreshGrace = refreshGrace
        root = "\(base)/\(tenant)/".lowercased()
    }

    /// Returns the `iss` claim of a policy's tokens, always in lower case.
    public func issuer(of policy: PolicyID) -> String { "\(root(of: policy))/v2.0" }

    /// Returns the prefix of a policy's URLs.
    public func root(of policy: PolicyID) -> String { root + policy.description }
}
