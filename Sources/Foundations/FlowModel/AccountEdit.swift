/// A part of an account that the user can change, named by its raw value in URLs and forms.
public enum AccountEdit: String, CaseIterable, Hashable, Sendable, Codable {
    case password
    /// The attributes that a policy allows users to change.
    case profile
}
