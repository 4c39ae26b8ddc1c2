public import OAuth

/// Who asks, as a verified access token says.
public struct Caller: Hashable, Sendable {
    /// The person's id (`oid`).
    public let oid: String
    /// Whose rows are meant: the authority and the person's id.
    public let owner: String
    /// What the token grants.
    public let scopes: Set<Scope>
    /// Whether a missing scope is a refusal.
    public let requiresScopes: Bool
    /// All that the token says.
    public var claims: [String: JSONValue] = [:]

    /// Whether the token is of the group whose members may do what keys are for.
    public var isAdministrator: Bool {
        guard let groups = claims["groups"] else { return false }
        return (groups.strings ?? groups.string.map { [$0] } ?? []).contains("admins")
    }

    /// Whether the token is good for what asks for `scope`.
    public func may(_ scope: String?) -> Bool {
        guard requiresScopes, let scope else { return true }
        return scopes.contains { $0.name == scope }
    }
}
