import FlowModel
import GRDB
import Moments

extension AuthorityStore.FlowTable {
    /// Writes what a flow changes of a person's credentials beside the password, and the device it makes known.
    func credentials(_ db: Database, _ finish: Finish, at now: Moment) throws {
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
    }
}
