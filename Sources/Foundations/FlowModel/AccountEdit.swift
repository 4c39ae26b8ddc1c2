/// A part of an account that the user can change.
///
/// URLs and forms contain the raw values.
public enum AccountEdit: String, CaseIterable, Hashable, Sendable, Codable {
    case password
    /// The attributes that a policy allows users to change.
    case profile
}
