public import FlowModel
import GRDB
import Moments
public import OAuth
import Storage

/// What a right answer uses up, in the transaction that writes its consequences: an answer that is cut off before uses
/// nothing up.
public enum UsedAnswer: Hashable, Sendable {
    /// The code of a time step of an authenticator, and those before it (RFC 6238 §5.2).
    case timeStep(Int64, of: Authenticator)
    /// A recovery code, by its characters.
    case recoveryCode(Secret, of: UserID)
    /// A provider's statement, by its id, until it ends, in seconds since 1970 UTC.
    case statement(String, of: String, until: Int64)
    /// The credential that was withheld while its last answer was looked at, and is given back.
    case withheld(Enrolment)
}

extension AuthorityStore.FlowTable {
    /// Uses an answer up, by the table that owns it.
    ///
    /// - Throws: `answerUsed` if another commit did, or what it was compared with has gone.
    func use(_ db: Database, _ answer: UsedAnswer, at now: Moment) throws {
        let isUsed =
            switch answer {
            case .timeStep(let step, let authenticator):
                try AuthorityStore.Authenticators.take(db, step: step, of: authenticator)
            case .recoveryCode(let code, let user):
                try AuthorityStore.Authenticators(core: core).use(db, recoveryCode: code, of: user)
            case .statement(let id, let people, let ends):
                try AuthorityStore.SpentIDs.spend(db, [people, id], of: .assertion, by: people, until: ends)
            case .withheld(let enrolment): try AuthorityStore.Enrolments(core: core).giveBack(db, enrolment)
            }
        guard isUsed else { throw StoreError(.answerUsed, "the answer was used up meanwhile") }
    }
}
