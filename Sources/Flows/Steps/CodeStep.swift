import Credentials
import FlowModel
import Moments
import OAuth
import Policies

/// A code that was sent to an address.
extension FlowMachine {
    /// What a code step asks for.
    func codeNodes() -> [Node] {
        [
            Node(
                name: "code",
                kind: .code,
                label: "Code",
                required: true,
                minLength: OneTimeCode.length,
                maxLength: OneTimeCode.length,
                pattern: "digits"
            )
        ]
    }

    /// What machines see of a code step: the channel, and as much of the address as its owner needs to know it.
    func codeFacts(_ state: FlowRunState) -> JSONValue? {
        guard let code = state.code else { return nil }
        let address =
            if case .check = code.purpose, state.person == nil { state.typedName ?? "" } else { code.address }
        return ["channel": "email", "hint": .string(Self.hint(address))]
    }

    /// A code and what it is compared with.
    struct CodeAnswer {
        let code: Secret
        let sent: SentCode
        let check: Check
    }

    /// Reads the answer to a code step.
    func readCode(_ answers: Answers, _ step: OpenStep, _ state: FlowRunState) throws(Answers.Refused) -> CodeAnswer {
        var answers = answers
        let text = answers.text("code", most: 32)
        if let text, OneTimeCode(Secret(text)) == nil {
            answers.note("code", .malformed, "A code has \(OneTimeCode.length) digits.")
        }
        try answers.finish()
        guard let text, let sent = state.code else { throw .malformed([]) }
        return CodeAnswer(code: Secret(text), sent: sent, check: codeCheck(step.check))
    }

    /// Opens a code step once the code is made.
    func codeMade(_ state: inout FlowRunState, _ made: MadeCode, now: Moment) -> [FlowEffect] {
        let check = codeCheck(made.purpose.check)
        let old = state.step?.type == .code ? state.step?.attempts : nil
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
            .code,
            check: made.purpose.check,
            attempts: old ?? made.attempts,
            ends: code.ends,
            messages: [Texts.codeSent],
            now: now
        )
        return (made.mail.map { [.mail($0)] } ?? []) + [.audit("code.sent")] + effects
    }

    /// Goes on when a code was right; it is good for no second time.
    func codeProved(_ state: inout FlowRunState, now: Moment) -> [FlowEffect] {
        guard let code = state.code else { return fail(&state, .internal, now: now) }
        if case .check = code.purpose, state.person == nil {
            guard let person = code.person else { return fail(&state, .internal, now: now) }
            if let effects = accept(&state, person, names: [person.username, code.address], now: now) {
                return effects
            }
            state.person = person
        }
        state.code = nil
        state.draft?.mustVerify = false
        prove(&state, .email, by: codeCheck(code.purpose.check).name, now: now)
        return [.audit("credential.accepted", ["credential": Credential.email.rawValue])] + advance(&state, now: now)
    }

    /// Has another code made in place of the last.
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

    /// Wants a code made.
    func makeCode(_ recipient: CodeRecipient) -> FlowEffect {
        let name: String? =
            switch recipient {
            case .newAddress: nil
            case .person(_, let check), .name(_, let check): check
            }
        return .evaluate(.makeCode(recipient, codeCheck(name)))
    }

    /// The check whose budget a code has: its own, or the first over e-mail where an address is proved at sign-up.
    func codeCheck(_ name: String?) -> Check {
        if let check = name.flatMap({ catalogue[check: $0] }) { return check }
        let first = catalogue.checks.values.filter { $0.type == .emailCode }.min { $0.name < $1.name }
        return first ?? Check(name: "email", type: .emailCode)
    }

    /// The first character of either side of an address: `j•@e•.org`.
    static func hint(_ address: String) -> String {
        let parts = address.split(separator: "@", maxSplits: 1)
        guard parts.count == 2 else { return "•" }
        let top = parts[1].lastIndex(of: ".").map { String(parts[1][$0...]) } ?? ""
        return "\(parts[0].prefix(1))•@\(parts[1].prefix(1))•\(top)"
    }
}

extension SentCode.Purpose {
    /// The check that the code is for, if it is for one.
    var check: String? {
        if case .check(let name) = self { name } else { nil }
    }
}
