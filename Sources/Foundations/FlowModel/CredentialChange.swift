/// A change to one of the user's credentials, which a flow applies after it has verified the user.
public enum CredentialChange: Hashable, Sendable, Codable {
    /// Enrols the credential that the check verifies, and replaces any existing credential.
    case enrol(check: String)
    case remove(Credential)
    /// Links the user's account at an external provider after the user has signed in at the provider.
    case link(provider: String)
    /// Unlinks the user's account at an external provider.
    case unlink(provider: String)

    /// Whether the change removes a way to sign in.
    public var unlinks: Bool {
        switch self {
        case .enrol, .remove, .link: false
        case .unlink: true
        }
    }

    /// Whether the user must sign in again before the change, even if the user has a session.
    public var signsInAnew: Bool {
        switch self {
        case .enrol, .remove: false
        case .link, .unlink: true
        }
    }
}
