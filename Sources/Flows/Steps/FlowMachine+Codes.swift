import FlowModel
import Moments
import OAuth
import Policies

/// Codes and their mails, which several steps use.
extension FlowMachine {
    /// The effect that makes a code.
    func makeCode(_ recipient: CodeRecipient) -> FlowEffect {
        let name: String? =
            switch recipient {
            case .newAddress: nil
            case .person(_, let check), .name(_, let check): check
            }
        return .evaluate(.makeCode(recipient, codeCheck(name)))
    }

    /// Opens a code step once the code is made.
    func codeMade(_ state: inout FlowRunState, _ made: MadeCode, now: Moment) -> [FlowEffect] {
        let check = codeCheck(made.purpose.check)
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
            &state,
            CodeStep(),
            check: made.purpose.check,
            ends: code.ends,
            messages: [texts(state).codeSent(to: CodeStep.hint(code, state), outbox: outbox)],
            now: now
        )
        return (made.mail.map { [.mail($0)] } ?? []) + [.audit(.codeSent)] + effects
    }

    /// Makes another code in place of the last.
    func resend(_ state: inout FlowRunState, _ submission: String, now: Moment) -> [FlowEffect] {
        guard let code = state.code else { return [.refuse(Refusals.noSuchAction("resend"))] }
        do {
            try requireMail(state, sameAs: true, now: now)
        } catch {
            if case .refused(let refusal) = error { return [.refuse(refusal)] }
            return []
        }
        let recipient: CodeRecipient? =
            switch code.purpose {
            case .verifyAddress: .newAddress(code.address)
            case .check(let check):
                state.person.map { .person($0, check: check) } ?? state.typedName.map { .name($0, check: check) }
            }
        guard let recipient else { return [.refuse(Refusals.noSuchAction("resend"))] }
        claim(&state, submission, now: now)
        state.code?.mac = nil
        return [makeCode(recipient)]
    }

    /// Refuses a mail beyond the flow's limit, or too soon after the last one to the same address.
    func requireMail(_ state: FlowRunState, sameAs isSame: Bool, now: Moment) throws(Answers.Refused) {
        guard state.mails < FlowLimits.mailsPerFlow else { throw .refused(Refusals.tooManyMails) }
        if let code = state.code, isSame, !code.resend.hasPassed(at: now) {
            throw .refused(Refusals.tooSoon(ms: code.resend.millisecondsLeft(at: now)))
        }
    }

    /// The check whose budget a code is charged to: its own, or the first over e-mail if an address is proved at
    /// sign-up.
    func codeCheck(_ name: String?) -> Check {
        if let check = name.flatMap({ catalogue[check: $0] }) { return check }
        let first = catalogue.checks.values.filter { $0.type == .emailCode }.min { $0.name < $1.name }
        return first ?? Check(name: "email", type: .emailCode)
    }
}

extension SentCode.Purpose {
    /// The check that the code is for, if it is for one.
    var check: String? {
        if case .check(let name) = self { name } else { nil }
    }
}
