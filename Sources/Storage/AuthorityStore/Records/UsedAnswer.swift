public import FlowModel
import GRDB
import Moments
public import OAuth
import Storage

/// A code or credential to update after a correct answer, in the transaction that writes the answer's result.
///
/// If that transaction fails, the user can give the answer again.
public enum UsedAnswer: Hashable, Sendable {
    /// An authenticator's code for a time step, which is marked as used with all earlier codes (RFC 6238 §5.2).
    case timeStep(Int64, of: Authenticator)
    /// A recovery code, which is used up.
    case recoveryCode(Secret, of: UserID)
    /// The id of an assertion signed by the provider `of`, which expires at `until`, in seconds since 1970 UTC.
    case statement(String, of: String, until: Int64)
    /// A credential to make usable again, after it was withheld while the last permitted answer was evaluated.
    case withheld(Enrolment)
}

extension AuthorityStore.FlowTable {
    /// Marks an answer as used.
    ///
    /// - Throws: `answerUsed` if another commit used the answer, or if the stored value to compare it with is gone.
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
        guard isUsed else { throw StoreError(.answerUsed, "the answer was already used") }
    }
}
