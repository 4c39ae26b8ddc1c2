/// The rule that determines who may sign up.
public enum SignUpMode: String, Hashable, Sendable, CaseIterable {
    case open
    /// Only invited users may sign up, and they must verify the invited e-mail address.
    case invited
    case closed
}
