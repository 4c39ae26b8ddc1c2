/// A change of an enrolled credential, which a flow makes once the person has proved again what the policy signs in with.
public enum CredentialChange: Hashable, Sendable, Codable {
    /// Enrols it, or another in its place, by the rule of a check.
    case enrol(check: String)
    /// Removes it.
    case remove(Credential)

    /// True for a change that sets a credential.
    public var enrols: Bool {
        switch self {
        case .enrol: true
        case .remove: false
        }
    }
}
