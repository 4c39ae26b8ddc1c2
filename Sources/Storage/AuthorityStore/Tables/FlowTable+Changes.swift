import FlowModel
import GRDB
import Moments
import Storage

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
        case .remove(.totp): try AuthorityStore.Authenticators.remove(db, of: user)
        case .remove(let credential):
            _ = try AuthorityStore.Enrolments(core: core).remove(db, credential, of: user, at: commit.flow.owner)
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
