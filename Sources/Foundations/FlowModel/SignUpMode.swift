/// The rule that determines who may sign up.
public enum SignUpMode: String, Hashable, Sendable, CaseIterable {
    /// Anyone.
    case open
    /// Invited users, who must verify the invited address.
    case invited
    /// No new users.
    case closed
}
