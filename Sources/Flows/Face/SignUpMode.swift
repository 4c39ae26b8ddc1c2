/// Who may sign up.
public enum SignUpMode: String, Hashable, Sendable, CaseIterable {
    /// Everybody.
    case open
    /// Whoever was invited, and proves the address that was.
    case invited
    /// Nobody.
    case closed
}
