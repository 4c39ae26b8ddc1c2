/// A change of an enrolled credential, which a flow makes once the person has proved again what the policy signs in with.
public enum CredentialChange: Hashable, Sendable, Codable {
    /// Enrols it, or another in its place, by the rule of a check.
    case enrol(check: String)
    /// Removes it.
    case remove(Credential)
    /// Links the person's account at a provider outside, once they have signed in there.
    case link(provider: String)
    /// Takes the person's account at a provider outside away.
    case unlink(provider: String)

    /// True for a change that takes a way to sign in away.
    public var unlinks: Bool {
        switch self {
        case .enrol, .remove, .link: false
        case .unlink: true
        }
    }

    /// True for a change before which the person signs in anew, in any way that the account has: what a session proved is
    /// not enough, and a password is not asked of who has none.
    public var signsInAnew: Bool {
        switch self {
        case .enrol, .remove: false
        case .link, .unlink: true
        }
    }
}
