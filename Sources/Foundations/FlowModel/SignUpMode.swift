/// The rule on who may sign up.
public enum SignUpMode: String, Hashable, Sendable, CaseIterable {
    /// Everybody.
    case open
    /// Invited people, who must prove the invited address.
    case invited
    /// No new users.
    case closed
}
