public import FlowModel
import GRDB
import Moments
public import OAuth
import Storage

/// A change to the account of a flow's user, written in the transaction that ends the flow.
public enum AccountChange: Hashable, Sendable {
    /// Creates the account and uses up any invitation, or is rejected if an invitation is required but missing.
    case createUser(UserRecord, needsInvitation: Bool)
    /// Links an identity, or is rejected if the identity is already linked to a user.
    ///
    /// If `isOnlyOne` is `true`, the change is also rejected if the user already has an identity at the provider.
    case link(FederatedIdentity, isOnlyOne: Bool)
    /// Unlinks the user's identities at a provider, or is rejected if the user would have no other way to sign in.
    case unlink(provider: String, ways: SignInMethods)
    /// Enrols a credential for the flow's owner, or replaces the enrolled credential of the same kind.
    case enrol(Enrolment)
    /// Adds an authenticator with its recovery codes, or is rejected if the user already has an authenticator.
    case addAuthenticator(Authenticator, recoveryCodes: [Secret])
    case remove(Credential)
    /// Sets the hash of a new password, and ends the sessions and tokens that are based on the old password.
    case setPassword(Secret)
    /// Sets profile attributes by name, or removes those whose new value is null.
    case editProfile([String: JSONValue])
    /// Remembers the device, so that no second factor is required on it for a limited time.
    case rememberDevice(KnownDevice)
    /// Remembers an authentication for the requests that can use the flow's session.
    case remember(Proof, life: Duration)
    /// Forgets the remembered authentications with this credential for requests that can use the flow's session.
    case forget(Credential)

    /// The credential that the change sets, which then counts as verified for the owner, or `nil` if it sets none.
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
    /// The audit event for the change, with its details, or `nil` if the event for the end of the flow is sufficient.
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
    /// The account that one of the changes creates, or `nil` if none does.
    public var newUser: UserRecord? {
        for case .createUser(let user, _) in self { return user }
        return nil
    }

    /// Whether one of the changes links an identity at an identity provider.
    public var linksIdentity: Bool {
        contains { if case .link = $0 { true } else { false } }
    }

    /// Whether one of the changes sets a password.
    public var setsPassword: Bool {
        contains { if case .setPassword = $0 { true } else { false } }
    }
}

extension AuthorityStore {
    static let credentialTables: [any CredentialTable.Type] = [Enrolments.self, Authenticators.self]
}

extension AuthorityStore.FlowTable {
    /// Writes a flow's account changes, or throws `disabled` if the user is disabled.
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
