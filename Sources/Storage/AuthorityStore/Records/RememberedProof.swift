public import FlowModel
public import Moments

/// A proof by which a person is signed in again without a question, because they asked to be remembered.
public struct RememberedProof: Hashable, Sendable {
    /// The id: random text.
    public let id: String
    /// The owner at which the person gave it.
    public let owner: Owner
    /// The person who gave it.
    public let user: UserID
    /// The proof; sealed.
    public let proof: Proof
    /// The policy of the session that it was given for.
    public let policy: String
    /// The client of that session.
    public let client: String
    /// The reach of that session.
    public let scope: SessionScope
    /// The end of the time for which it is remembered.
    public let ends: Deadline
}
