import FlowModel
import Moments
import OAuth

/// A sign-in name alone, where a code follows.
extension FlowMachine {
    /// What an identifier step asks for.
    func identifierNodes(_ state: FlowRunState) -> [Node] { [nameNode(state)] }

    /// Reads the answer to an identifier step.
    func readIdentifier(_ answers: Answers, _ state: FlowRunState, now: Moment) throws(Answers.Refused) -> String {
        var answers = answers
        let name = answers.text("username", most: FlowLimits.nameLength, fallback: knownName(state))
        try answers.finish()
        guard let name else { throw .malformed([]) }
        try requireMail(state, sameAs: state.typedName.map { Names.areEqual($0, name) } ?? false, now: now)
        return name
    }

    /// Refuses a mail beyond the flow's bound, or so soon after the last one to the same address.
    func requireMail(_ state: FlowRunState, sameAs isSame: Bool, now: Moment) throws(Answers.Refused) {
        guard state.mails < FlowLimits.mailsPerFlow else { throw .refused(Refusals.tooManyMails) }
        if let code = state.code, isSame, !code.resend.hasPassed(at: now) {
            throw .refused(Refusals.tooSoon(ms: code.resend.millisecondsLeft(at: now)))
        }
    }
}
