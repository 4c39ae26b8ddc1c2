/// An authority's description of itself, including its signing keys and the common prefix of its issuers.
///
/// Clients read it only over the authority's socket, where the kernel authenticates the server.
public struct AuthorityDescription: Hashable, Sendable {
    /// The path of the document.
    public static let path = "/.well-known/tokenbroker-authority"

    /// The base URL of all issuers, without a trailing slash.
    public let base: String
    /// The tenant: the path segment after the base URL.
    public let tenant: String
    /// The key set (RFC 7517 §5).
    public let keys: JSONValue
    /// The default policy for sign-ins, or `nil` if the authority has none.
    public let defaultPolicy: String?
    /// The policy for each external provider, by the provider's name.
    public let providers: [String: String]

    /// Creates a description from its members.
    public init(
        base: String,
        tenant: String,
        keys: JSONValue,
        defaultPolicy: String? = nil,
        providers: [String: String] = [:]
    ) {
        self.base = base
        self.tenant = tenant
        self.keys = keys
        self.defaultPolicy = defaultPolicy
        self.providers = providers
    }

    /// Parses the document, or returns `nil` if a member is missing or has the wrong type.
    public init?(json: JSONValue) {
        guard let base = json["base"]?.string, let tenant = json["tenant"]?.string, let keys = json["jwks"] else {
            return nil
        }
        self.init(
            base: base,
            tenant: tenant,
            keys: keys,
            defaultPolicy: json["default_policy"]?.string,
            providers: json["providers"]?.object?.compactMapValues(\.string) ?? [:]
        )
    }

    /// The document as JSON.
    public var json: JSONValue {
        var members: [String: JSONValue] = ["base": .string(base), "tenant": .string(tenant), "jwks": keys]
        members["default_policy"] = defaultPolicy.map { .string($0) }
        if !providers.isEmpty { members["providers"] = .object(providers.mapValues { .string($0) }) }
        return .object(members)
    }
}
