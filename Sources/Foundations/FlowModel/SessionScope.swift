/// The reach of a session: the requests that may use it without a question.
///
/// Policies and the store spell it by its raw value.
public enum SessionScope: String, Hashable, Sendable, Codable, CaseIterable {
    /// Those of every client and policy of the tenant.
    case tenant
    /// Those of the client that made it.
    case application
    /// Those of the policy that made it.
    case policy
    /// None but the request it was made for.
    case none
}
