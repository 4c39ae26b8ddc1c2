public import FlowModel
import GRDB
import Moments
public import OAuth
import Storage

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

extension AccountChange {
    /// The event that says that it was done, with its details; nil for a change that the end of the flow says.
    public var audited: (kind: AuditKind, detail: [String: String])? {
        switch self {
        case .enrol, .addAuthenticator: (.credentialEnrolled, ["credential": credential?.rawValue ?? ""])
        case .remove(let credential): (.credentialRemoved, ["credential": credential.rawValue])
        case .setPassword: (.passwordChanged, [:])
        case .editProfile: (.profileChanged, [:])
        case .link(let identity, isOnlyOne: true): (.credentialEnrolled, Self.federated(identity.provider))
        case .unlink(let provider, _): (.credentialRemoved, Self.federated(provider))
        case .link, .createUser, .rememberDevice, .remember, .forget: nil
        }
    }

    private static func federated(_ provider: String) -> [String: String] {
        ["credential": Credential.federated.rawValue, "provider": provider]
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

extension AuthorityStore {
    /// Every table of credentials that changes of an account add and remove.
    static let credentialTables: [any CredentialTable.Type] = [Enrolments.self, Authenticators.self]
}

extension AuthorityStore.FlowTable {
    /// Writes what a flow changes of its person's account: each change by the table that owns it.
    ///
    /// A person who is disabled signs in no more, and changes nothing.
    func apply(_ db: Database, _ commit: FlowCommit, at now: Moment) throws {
        guard commit.authentication != nil || !commit.changes.isEmpty else { return }
        guard let user = commit.user else { throw StoreError(.notFound, "nobody is known whose account it is") }
        if commit.changes.newUser == nil { try AuthorityStore.Users.requireEnabled(db, user) }
        for change in commit.changes { try apply(db, change, of: user, commit, at: now) }
    }

    private func apply(
        _ db: Database,
        _ change: AccountChange,
        of user: UserID,
        _ commit: FlowCommit,
        at now: Moment
    ) throws {
        switch change {
        case .createUser(let record, let needsInvitation):
            try AuthorityStore.Users(core: core).insert(db, record)
            let isInvited = try AuthorityStore.Invitations(core: core).use(db, record.signInNames, at: now)
            guard isInvited || !needsInvitation else {
                throw StoreError(.consumed, "there is no invitation for this name")
            }
        case .link(let identity, let isOnlyOne):
            try AuthorityStore.Identities(core: core).insert(db, identity, of: user, onlyOne: isOnlyOne, at: now)
        case .unlink(let provider, let ways):
            try AuthorityStore.Identities(core: core).remove(db, at: provider, of: user, ways: ways, at: now)
        case .enrol(let enrolment): try AuthorityStore.Enrolments(core: core).set(db, enrolment)
        case .addAuthenticator(let authenticator, let codes):
            try AuthorityStore.Authenticators(core: core).add(db, authenticator, recoveryCodes: codes)
        case .remove(let credential):
            for table in AuthorityStore.credentialTables {
                try table.init(core: core).remove(db, credential, of: user, at: commit.flow.owner)
            }
        case .setPassword(let hash):
            try AuthorityStore.Users(core: core).replacePassword(db, of: user, by: hash, at: now)
        case .editProfile(let attributes):
            try AuthorityStore.Users(core: core).edit(db, user, attributes, at: now)
        case .rememberDevice(let device):
            try AuthorityStore.Devices(core: core).remember(db, device, of: user, at: now)
        case .remember(let proof, let life):
            guard let session = commit.session else { return }
            try AuthorityStore.RememberedProofs(core: core).remember(db, proof, for: life, like: session, at: now)
        case .forget(let credential):
            guard let session = commit.session else { return }
            try AuthorityStore.RememberedProofs(core: core)
                .forget(db, over: credential, of: user, at: session.owner, countingFor: session)
        }
    }
}
