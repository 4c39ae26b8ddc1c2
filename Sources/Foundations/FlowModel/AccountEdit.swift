/// A part of an account that the user can change.
///
/// The raw value appears in URLs and forms.
public enum AccountEdit: String, CaseIterable, Hashable, Sendable, Codable {
    /// The account's password.
    case password
    /// The attributes that a policy lets users change.
    case profile
}
