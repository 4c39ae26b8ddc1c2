import FlowModel
import GRDB
import Moments

extension AuthorityStore.FlowTable {
    /// Writes what a flow changes of a known person's identities at providers.
    func identities(_ db: Database, _ finish: FlowCommit, at now: Moment) throws {
        let (identities, user) = (AuthorityStore.Identities(core: core), finish.authentication.user)
        if finish.newUser == nil, let identity = finish.newIdentity {
            try identities.insert(db, identity, of: user, onlyOne: finish.linksOnce, at: now)
        }
        if let (provider, ways) = finish.unlinked {
            try identities.remove(db, at: provider, of: user, ways: ways, at: now)
        }
    }

    /// Writes what a flow changes of a person's credentials beside the password, the device it makes known, and the
    /// proofs by which the person is remembered.
    func credentials(_ db: Database, _ finish: FlowCommit, at now: Moment) throws {
        let user = finish.authentication.user
        if let removed = finish.removed {
            if removed == .totp {
                try AuthorityStore.Authenticators.forget(db, user)
                try AuthorityStore.Devices.forget(db, user)
            } else {
                _ = try AuthorityStore.Enrolments(core: core).remove(db, removed, of: user, at: finish.flow.owner)
            }
        }
        if let (authenticator, codes) = finish.authenticator {
            try AuthorityStore.Authenticators(core: core).add(db, authenticator, recoveryCodes: codes)
        }
        if let enrolment = finish.enrolment { try AuthorityStore.Enrolments(core: core).set(db, enrolment) }
        if let device = finish.device {
            try AuthorityStore.Devices(core: core).remember(db, device, of: user, at: now)
        }
        if let session = finish.session {
            let table = AuthorityStore.RememberedProofs(core: core)
            for credential in finish.unremembered {
                try table.forget(db, over: credential, of: user, at: session.owner, countingFor: session)
            }
            for (proof, life) in finish.remembered { try table.remember(db, proof, for: life, like: session, at: now) }
        }
    }
}
