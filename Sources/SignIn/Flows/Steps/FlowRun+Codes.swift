import FlowModel
import Moments
import OAuth
import Policies

/// Codes and their mails, which several steps use.
extension FlowRun {
    /// Opens a code step once the code is made.
    mutating func codeMade(_ made: MadeCode) -> [FlowEffect] {
        let check = machine.codeCheck(made.purpose.check)
        let code = SentCode(
            address: made.address,
            subject: made.subject,
            purpose: made.purpose,
            person: made.person,
            mac: made.mac,
            context: made.context,
            ends: Deadline(check.attemptingStateExpiration, after: now).earlier(state.ends),
            resend: Deadline(FlowLimits.resendPause, after: now)
        )
        state.code = code
        state.mails += 1
        let effects = open(
            CodeStep(),
            check: made.purpose.check,
            ends: code.ends,
            messages: [context.texts.codeSent(to: CodeStep.hint(code, state), outbox: machine.outbox)]
        )
        return (made.mail.map { [.mail($0)] } ?? []) + [.audit(.codeSent)] + effects
    }

    /// Makes another code in place of the last.
    mutating func resend(_ submission: String) -> [FlowEffect] {
        guard let code = state.code else { return [.refuse(Refusals.noSuchAction("resend"))] }
        if let refusal = mailRefusal(sameAs: true) { return [.refuse(refusal)] }
        let recipient: CodeRecipient? =
            switch code.purpose {
            case .verifyAddress: .verifying(code.address, isName: state.draft?.identity == nil)
            case .check(let check):
                state.person.map { .person($0, check: check) }
                    ?? state.typedName.map { .name($0, check: check, forPassword: state.path == .reset) }
            }
        guard let recipient else { return [.refuse(Refusals.noSuchAction("resend"))] }
        claim(submission)
        state.code?.mac = nil
        return [machine.makeCode(recipient)]
    }

    /// Refuses a mail beyond the flow's limit, or too soon after the last one to the same address.
    func requireMail(sameAs isSame: Bool) throws(Answers.Refused) {
        if let refusal = mailRefusal(sameAs: isSame) { throw .refused(refusal) }
    }

    /// The refusal of such a mail; nil if it may be sent.
    func mailRefusal(sameAs isSame: Bool) -> Refusal? {
        guard state.mails < FlowLimits.mailsPerFlow else { return Refusals.tooManyMails }
        guard let code = state.code, isSame, !code.resend.hasPassed(at: now) else { return nil }
        return Refusals.tooSoon(ms: code.resend.millisecondsLeft(at: now), context.texts)
    }
}

extension CodeRecipient {
    /// The recipient of a code that proves the address of a new account.
    static func verifying(_ address: String, isName: Bool) -> CodeRecipient {
        isName ? .newAddress(address) : .attributeAddress(address)
    }
}

extension SentCode.Purpose {
    /// The check that the code is for, if it is for one.
    var check: String? {
        if case .check(let name) = self { name } else { nil }
    }
}
