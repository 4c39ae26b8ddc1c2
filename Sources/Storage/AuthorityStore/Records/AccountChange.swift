public import FlowModel
public import OAuth

/// A change of the account of a flow's person, written in the transaction that ends the flow by the table that owns it.
public enum AccountChange: Hashable, Sendable {
    /// Makes the account, which uses up the invitation for one of its names; without one it is refused if it needs one.
    case createUser(UserRecord, needsInvitation: Bool)
    /// Links an identity at a provider; it is refused if it is somebody's, or, if it must be the only one, where the person
    /// has another one at the provider.
    case link(FederatedIdentity, isOnlyOne: Bool)
    /// Takes the identities at a provider away; refused if none of these ways to sign in is left.
    case unlink(provider: String, ways: SignInMethods)
    /// Enrols a credential at the flow's owner, or another in its place.
    case enrol(Enrolment)
    /// Adds an authenticator with its recovery codes; refused if the person has one.
    case addAuthenticator(Authenticator, recoveryCodes: [Secret])
    /// Removes an enrolled credential.
    case remove(Credential)
    /// Sets the hash of a new password, and ends what was had by the old one.
    case setPassword(Secret)
    /// Puts attributes in place of those of the same names; null removes one.
    case editProfile([String: JSONValue])
    /// Remembers the device, at which no second factor is asked for a time.
    case rememberDevice(KnownDevice)
    /// Remembers the person by an authentication for a time, where the flow's session counts.
    case remember(Proof, life: Duration)
    /// Forgets what the person was remembered by over a credential, as far as it counts for the flow's session.
    case forget(Credential)

    /// The credential that it sets: a credential just made counts as proved where it was made.
    public var credential: Credential? {
        switch self {
        case .createUser(let user, _): user.passwordHash == nil ? nil : .password
        case .enrol(let enrolment): enrolment.credential
        case .addAuthenticator: .totp
        case .setPassword: .password
        case .link, .unlink, .remove, .editProfile, .rememberDevice, .remember, .forget: nil
        }
    }
}

extension [AccountChange] {
    /// The account that is made.
    public var newUser: UserRecord? {
        for case .createUser(let user, _) in self { return user }
        return nil
    }

    /// Whether an account at a provider becomes the person's.
    public var linksIdentity: Bool {
        contains { if case .link = $0 { true } else { false } }
    }

    /// Whether there is a new password.
    public var setsPassword: Bool {
        contains { if case .setPassword = $0 { true } else { false } }
    }
}
