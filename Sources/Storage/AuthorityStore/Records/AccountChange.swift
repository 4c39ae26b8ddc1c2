public import FlowModel
import GRDB
import Moments
public import OAuth
import Storage

/// A change that a flow makes to its user's account.
///
/// The table that owns the data writes it in the transaction that ends the flow.
public enum AccountChange: Hashable, Sendable {
    /// Creates the account, and uses the invitation for one of its sign-in names.
    ///
    /// Rejected if an invitation is required but missing.
    case createUser(UserRecord, needsInvitation: Bool)
    /// Links an identity at an identity provider.
    ///
    /// Rejected if the identity belongs to another user, or if `isOnlyOne` is set and the user already has an identity
    /// at the provider.
    case link(FederatedIdentity, isOnlyOne: Bool)
    /// Unlinks the user's identities at an identity provider.
    ///
    /// Rejected if the user would have no other way to sign in.
    case unlink(provider: String, ways: SignInMethods)
    /// Enrols a credential at the flow's owner, or replaces the enrolled credential of the same kind.
    case enrol(Enrolment)
    /// Adds an authenticator with its recovery codes.
    ///
    /// Rejected if the user already has one.
    case addAuthenticator(Authenticator, recoveryCodes: [Secret])
    /// Removes an enrolled credential.
    case remove(Credential)
    /// Sets the hash of a new password, and ends the sessions and tokens that are based on the old password.
    case setPassword(Secret)
    /// Sets profile attributes by name.
    ///
    /// A null value removes the attribute.
    case editProfile([String: JSONValue])
    /// Remembers the device. For some time, no second factor is required on it.
    case rememberDevice(KnownDevice)
    /// Remembers an authentication for the requests that may use the flow's session.
    case remember(Proof, life: Duration)
    /// Forgets the authentications with a credential that are remembered for the requests that may use the flow's
    /// session.
    case forget(Credential)

    /// The credential that the change sets, or `nil`.
    ///
    /// A new credential counts as verified at the owner that enrolled it.
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
    /// The audit event for the change and its details, or `nil` if the event for the end of the flow is enough.
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
    /// The account that the change creates, or `nil`.
    public var newUser: UserRecord? {
        for case .createUser(let user, _) in self { return user }
        return nil
    }

    /// Whether the change links an identity at an identity provider.
    public var linksIdentity: Bool {
        contains { if case .link = $0 { true } else { false } }
    }

    /// Whether the change sets a password.
    public var setsPassword: Bool {
        contains { if case .setPassword = $0 { true } else { false } }
    }
}

extension AuthorityStore {
    /// The tables of the credentials that account changes add and remove.
    static let credentialTables: [any CredentialTable.Type] = [Enrolments.self, Authenticators.self]
}

extension AuthorityStore.FlowTable {
    /// Writes a flow's account changes, each through the table that owns the data.
    ///
    /// A disabled user cannot sign in or change anything.
    func apply(_ db: Database, _ commit: FlowCommit, at now: Moment) throws {
        guard commit.authentication != nil || !commit.changes.isEmpty else { return }
        guard let user = commit.user else { throw StoreError(.notFound, "the flow has no user") }
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
