public import OAuth

/// The person that a verified access token names.
public struct BearerIdentity: Hashable, Sendable {
    /// The person's id (`oid`).
    public let oid: String
    /// The owner of the person's rows: the authority and the person's id.
    public let owner: String
    /// The scopes that the token grants.
    public let scopes: Set<Scope>
    /// True if a missing scope is refused; false if scopes are not looked at.
    public let requiresScopes: Bool
    /// All claims of the token.
    public var claims: [String: JSONValue] = [:]

    /// The time at which the token was made (`iat`, which every one has), in seconds since 1970 UTC.
    var issuedAt: Int64 { claims["iat"]?.numericDate ?? 0 }

    /// True if the person is in the group `admins`, whose members need no key.
    public var isAdministrator: Bool {
        guard let groups = claims["groups"] else { return false }
        return (groups.strings ?? groups.string.map { [$0] } ?? []).contains("admins")
    }

    /// True if the token grants `scope`, or if no scope is required.
    public func may(_ scope: String?) -> Bool {
        guard requiresScopes, let scope else { return true }
        return scopes.contains { $0.name == scope }
    }
}
