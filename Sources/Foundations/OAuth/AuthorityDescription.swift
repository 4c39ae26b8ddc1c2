/// The description of an authority, which services on the same machine read over the authority's Unix socket.
///
/// The kernel identifies the process at the other end of the socket, so the description needs no signature.
public struct AuthorityDescription: Hashable, Sendable {
    /// The URL path at which the authority serves its description.
    public static let path = "/.well-known/tokenbroker-authority"

    /// The base URL of all issuers, without a trailing slash.
    public let base: String
    /// The name of the tenant, which is the path segment after the base URL in every issuer.
    public let tenant: String
    /// The public signing keys, as a JWK set (RFC 7517 §5).
    public let keys: JSONValue
    /// The name of the default policy for sign-ins, or `nil` if the authority has no default policy.
    public let defaultPolicy: String?
    /// The names of the policies for signing in with external providers, keyed by the provider's name.
    public let providers: [String: String]

    /// Creates a description with the given members.
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

    /// Parses a description, or returns `nil` if a required member is missing or has the wrong type.
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

    /// The description as a JSON object.
    public var json: JSONValue {
        var members: [String: JSONValue] = ["base": .string(base), "tenant": .string(tenant), "jwks": keys]
        members["default_policy"] = defaultPolicy.map { .string($0) }
        if !providers.isEmpty { members["providers"] = .object(providers.mapValues { .string($0) }) }
        return .object(members)
    }
}
