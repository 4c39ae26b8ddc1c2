/// An authority's description of itself: the common prefix of its issuers and the keys that sign their tokens.
///
/// It is read over the authority's socket only, where the kernel authenticates the server.
public struct AuthorityDescription: Hashable, Sendable {
    /// The path of the document.
    public static let path = "/.well-known/tokenbroker-authority"

    /// The base URL that all issuers begin with, without a slash at its end.
    public let base: String
    /// The tenant, the path segment after the base.
    public let tenant: String
    /// The key set (RFC 7517 §5).
    public let keys: JSONValue
    /// The policy at which a person signs in who was sent to none; nil if the authority does not say.
    public let defaultPolicy: String?
    /// The policy at which people sign in with each provider outside, by the provider's name.
    public let providers: [String: String]

    /// Makes a description from its members.
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

    /// Reads the document; nil if a member is missing or of another type.
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
