/// The common part of one authority's issuers, the base and tenant of `{base}/{tenant}/{policy}/v2.0`.
public struct AuthorityName: Hashable, Sendable, CustomStringConvertible {
    /// The longest name of a policy, in bytes.
    static let longestPolicy = 64

    /// The base URL, without a slash at its end.
    public let base: String
    /// The tenant.
    public let tenant: String

    /// Makes the name of an authority.
    public init(base: String, tenant: String) {
        self.base = base.hasSuffix("/") ? String(base.dropLast()) : base
        self.tenant = tenant
    }

    /// The base and the tenant.
    public var description: String { "\(base)/\(tenant)" }

    /// The issuer of a policy, in lower case.
    func issuer(of policy: String) -> String { "\(description)/\(policy.lowercased())/v2.0" }

    /// Returns the policy of an issuer; nil for another authority's issuer, and if the name is not a valid policy name.
    public func policy(ofIssuer issuer: String) -> String? {
        let prefix = description + "/"
        let suffix = "/v2.0"
        guard issuer.hasPrefix(prefix), issuer.hasSuffix(suffix), issuer.count > prefix.count + suffix.count else {
            return nil
        }
        let policy = String(issuer.dropFirst(prefix.count).dropLast(suffix.count))
        // The policy becomes part of a path, and comes from a token that is not verified yet.
        guard policy.utf8.count <= Self.longestPolicy, policy.utf8.allSatisfy(Self.isPolicyByte) else { return nil }
        return policy
    }

    private static func isPolicyByte(_ byte: UInt8) -> Bool {
        (0x61...0x7A).contains(byte) || (0x30...0x39).contains(byte) || byte == 0x5F
    }
}
