/// The requests that can use a session without prompting the user.
///
/// The raw values are the names in policy files and in the store.
public enum SessionScope: String, Hashable, Sendable, Codable, CaseIterable {
    /// Requests from any client under any policy of the tenant.
    case tenant
    /// Requests from the client that created the session.
    case application
    /// Requests under the policy that created the session.
    case policy
    /// Only the request that created the session.
    case none
}
