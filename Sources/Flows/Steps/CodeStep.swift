import Attempts
import Credentials
import FlowModel
import Moments
import OAuth
import Policies

/// Asks for a code that was sent to an address.
struct CodeStep: StepKind {
    /// A code and the one it is compared with.
    struct Answer {
        let code: Secret
        let sent: SentCode
        let check: Check
    }

    let type = StepType.code
    let checkType: CheckType? = .emailCode
    let texts = StepTexts(
        title: .codeTitle,
        wrong: .codeWrong,
        wrongNode: "code",
        expired: .codeExpired,
        expiredLevel: .error
    )

    /// Asks for a code to be made: for the address of a new account first, then for a person's.
    func begin(_ machine: FlowMachine, _ state: inout FlowRunState, now: Moment) -> [FlowEffect]? {
        if state.path == .signUp, let draft = state.draft, draft.mustVerify, let email = draft.email {
            return [machine.makeCode(.newAddress(email))]
        }
        guard let person = state.person, let check = machine.nextCheck(state), check.type == checkType else {
            return nil
        }
        return [machine.makeCode(.person(person, check: check.name))]
    }

    func nodes(_ machine: FlowMachine, _ state: FlowRunState) -> [Node] {
        [
            Node(
                name: "code",
                kind: .code,
                label: machine.texts(state)[.code],
                required: true,
                minLength: OneTimeCode.length,
                maxLength: OneTimeCode.length,
                pattern: "digits"
            )
        ]
    }

    /// The channel, and the part of the address by which its owner recognises it.
    func data(_ state: FlowRunState) -> JSONValue? {
        guard let code = state.code else { return nil }
        return ["channel": "email", "hint": .string(Self.hint(code, state))]
    }

    func actions(_ machine: FlowMachine, _ state: FlowRunState) -> [Action] {
        var actions: [Action] = []
        if state.mails < FlowLimits.mailsPerFlow {
            actions.append(Action(.resend, availableAt: state.code?.resend.wall))
        }
        if state.person == nil { actions.append(Action(.back)) }
        return actions
    }

    /// The end of the code, which wrong answers do not extend.
    func ends(after step: OpenStep, _ machine: FlowMachine, now: Moment) -> Deadline { step.ends }

    func budget(_ machine: FlowMachine, _ state: FlowRunState) -> StepBudget? {
        state.code.map { code in
            StepBudget(check: machine.codeCheck(code.purpose.check), holder: .subject(code.subject))
        }
    }

    func read(
        _ answers: Answers,
        _ machine: FlowMachine,
        _ state: FlowRunState,
        now: Moment
    ) throws(Answers.Refused) -> Answer {
        var answers = answers
        let text = answers.text("code", most: 32)
        if let text, OneTimeCode(Secret(text)) == nil {
            answers.note("code", .malformed, machine.texts(state)[.codeDigits, ["digits": "\(OneTimeCode.length)"]])
        }
        try answers.finish()
        guard let text, let sent = state.code else { throw .malformed([]) }
        return Answer(code: Secret(text), sent: sent, check: machine.codeCheck(state.step?.check))
    }

    func take(
        _ answer: Answer,
        _ machine: FlowMachine,
        _ state: inout FlowRunState,
        now: Moment
    ) -> [FlowEffect] {
        [.evaluate(.code(typed: answer.code, sent: answer.sent, check: answer.check))]
    }

    /// Continues with the person whom the code proves; it cannot be used again.
    func proved(
        _ person: ProvenPerson?,
        names: [String],
        _ machine: FlowMachine,
        _ state: inout FlowRunState,
        now: Moment
    ) -> [FlowEffect] {
        guard let code = state.code else { return machine.fail(&state, .internal, now: now) }
        var proven: ProvenPerson?
        if case .check = code.purpose, state.person == nil {
            guard let person = code.person else { return machine.fail(&state, .internal, now: now) }
            proven = person
        }
        state.code = nil
        state.draft?.mustVerify = false
        let known = proven.map { [$0.username, code.address] } ?? []
        return machine.credit(&state, proven, names: known, by: machine.codeCheck(code.purpose.check), now: now)
    }

    func act(
        _ action: Action.Name,
        submission: String,
        _ machine: FlowMachine,
        _ state: inout FlowRunState,
        now: Moment
    ) -> [FlowEffect] {
        switch action {
        case .resend: return machine.resend(&state, submission, now: now)
        case .back:
            machine.claim(&state, submission, now: now)
            expired(&state)
            if state.path == .signUp { state.draft = nil }
            return machine.advance(&state, now: now)
        case .cancel, .create: return [.refuse(Refusals.noSuchAction(action.rawValue))]
        }
    }

    func expired(_ state: inout FlowRunState) { state.code?.mac = nil }

    /// The part of a code's address by which its owner recognises it, `j•••@example.org`; the typed name if only that
    /// is known.
    static func hint(_ code: SentCode, _ state: FlowRunState) -> String {
        let address =
            if case .check = code.purpose, state.person == nil { state.typedName ?? "" } else { code.address }
        let parts = address.split(separator: "@", maxSplits: 1)
        return parts.count == 2 ? "\(parts[0].prefix(1))•••@\(parts[1])" : "•••"
    }
}
