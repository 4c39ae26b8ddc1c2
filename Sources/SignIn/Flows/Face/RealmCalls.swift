public import CustomIdentity
public import Policies

/// The calls at providers of one's own, and what their statements are addressed to.
public struct RealmCalls: Sendable {
    /// The client of those that ask questions.
    let client: RealmClient
    /// Returns the names of this authority in statements for a policy.
    let audiences: @Sendable (PolicyID) -> [String]

    /// Calls of a client.
    ///
    /// - Parameters:
    ///   - client: The client of those that ask questions.
    ///   - audiences: Returns the names of this authority in statements for a policy.
    public init(client: RealmClient, audiences: @escaping @Sendable (PolicyID) -> [String]) {
        self.client = client
        self.audiences = audiences
    }
}
