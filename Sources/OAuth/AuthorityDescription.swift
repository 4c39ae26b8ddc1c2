/// An authority's own word on where its issuers begin and which keys sign their tokens.
///
/// It is read over the authority's socket only, where the kernel says who answers.
public struct AuthorityDescription: Hashable, Sendable {
    /// The address of the document.
    public static let path = "/.well-known/tokenbroker-authority"

    /// The part that all issuers begin with, without a slash at its end.
    public let base: String
    /// The tenant, which comes next.
    public let tenant: String
    /// The key set (RFC 7517 §5).
    public let keys: JSONValue

    /// A description.
    public init(base: String, tenant: String, keys: JSONValue) {
        self.base = base
        self.tenant = tenant
        self.keys = keys
    }

    /// Reads the document; nil if a member is missing or of another type.
    public init?(json: JSONValue) {
        guard let base = json["base"]?.string, let tenant = json["tenant"]?.string, let keys = json["jwks"] else {
            return nil
        }
        self.init(base: base, tenant: tenant, keys: keys)
    }

    /// The document.
    public var json: JSONValue { ["base": .string(base), "tenant": .string(tenant), "jwks": keys] }
}
