public import Policies

/// The authority's part of the configuration.
public struct AuthoritySettings: Hashable, Sendable {
    /// The client of requests that name none.
    public static let defaultClient = "tokenbroker-cli"

    /// `{base}`: scheme, host and port, without a slash at the end.
    public let base: String
    /// `{tenant}` of every issuer.
    public let tenant: String
    /// The APIs that tokens are for, by name.
    public let apis: [String: ProtectedAPI]
    /// The clients of the configuration, by id.
    public let clients: [String: OAuthClient]
    /// The policy of requests that name none and whose account has none.
    public let defaultPolicy: PolicyID
    /// The beginning of all addresses of policies, in lower case.
    private let root: String

    /// Puts the configuration together.
    public init(
        base: String,
        tenant: String,
        apis: [ProtectedAPI],
        clients: [OAuthClient],
        defaultPolicy: PolicyID
    ) {
        self.base = base
        self.tenant = tenant
        self.apis = Dictionary(apis.map { ($0.name, $0) }) { first, _ in first }
        self.clients = Dictionary(clients.map { ($0.id, $0) }) { first, _ in first }
        self.defaultPolicy = defaultPolicy
        root = "\(base)/\(tenant)/".lowercased()
    }

    /// `iss` of a policy's tokens; always in lower case.
    public func issuer(of policy: PolicyID) -> String { "\(root(of: policy))/v2.0" }

    /// The beginning of all addresses of a policy.
    public func root(of policy: PolicyID) -> String { root + policy.description }
}
