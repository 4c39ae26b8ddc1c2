/// A thing of their account that a person changes by answering a question; the word in addresses and forms.
public enum AccountEdit: String, CaseIterable, Hashable, Sendable, Codable {
    /// The password.
    case password
    /// The attributes that a policy lets people change.
    case profile
}
