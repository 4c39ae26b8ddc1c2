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
        expiredLevel: .error,
        choice: .codeChoice
    )

    /// Asks for a code to be made: for the address of a new account first, then for a person's.
    func begin(_ run: inout FlowRun) -> [FlowEffect]? {
        if run.state.path == .signUp, let draft = run.state.draft, draft.mustVerify, let address = draft.address {
            return [run.machine.makeCode(.verifying(address, isName: draft.identity == nil))]
        }
        guard let person = run.state.person, let check = run.context.nextCheck, check.type == checkType else {
            return nil
        }
        return [run.machine.makeCode(.person(person, check: check.name))]
    }

    func nodes(_ context: FlowContext) -> [Node] {
        [
            Node(
                name: "code",
                kind: .code,
                label: context.texts[.code],
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

    func actions(_ context: FlowContext) -> [Action] {
        var actions: [Action] = []
        if context.state.mails < FlowLimits.mailsPerFlow {
            actions.append(Action(.resend, availableAt: context.state.code?.resend.wall))
        }
        // There is nothing to go back to from an address that a provider has vouched for.
        let isVouchedFor = context.state.draft.map { $0.identity != nil && $0.asksAddress != true } ?? false
        if context.state.person == nil, !isVouchedFor { actions.append(Action(.back)) }
        return actions
    }

    /// The time to ask for another code, once one has ended; a code has an end of its own.
    func lifetime(_ step: OpenStep, _ machine: FlowMachine) -> Duration { FlowLimits.stepLife }

    /// The end of the code, which wrong answers do not extend.
    func ends(after step: OpenStep, _ run: FlowRun) -> Deadline { step.ends }

    func budget(_ context: FlowContext) -> StepBudget? {
        context.state.code.map { code in
            StepBudget(check: context.machine.codeCheck(code.purpose.check), holder: .subject(code.subject))
        }
    }

    func read(_ answers: Answers, _ run: FlowRun) throws(Answers.Refused) -> Answer {
        var answers = answers
        let text = answers.text("code", most: 32)
        if let text, OneTimeCode(Secret(text)) == nil {
            answers.note("code", .malformed)
        }
        try answers.finish()
        guard let text, let sent = run.state.code else { throw .malformed([]) }
        return Answer(code: Secret(text), sent: sent, check: run.machine.codeCheck(run.state.step?.check))
    }

    func take(_ answer: Answer, _ run: inout FlowRun) -> [FlowEffect] {
        [.evaluate(.code(typed: answer.code, sent: answer.sent, check: answer.check))]
    }

    /// Continues with the person whom the code proves; it cannot be used again.
    func proved(_ person: ProvenPerson?, names: [String], _ run: inout FlowRun) -> [FlowEffect] {
        guard let code = run.state.code else { return run.fail(.internal) }
        var proven: ProvenPerson?
        if case .check = code.purpose, run.state.person == nil {
            guard let person = code.person else { return run.fail(.internal) }
            proven = person
        }
        run.state.code = nil
        if case .verifyAddress = code.purpose { run.state.provenAddress = code.address }
        run.state.draft?.mustVerify = false
        let known = proven.map { [$0.username, code.address] } ?? []
        return run.credit(proven, names: known, by: run.machine.codeCheck(code.purpose.check))
    }

    func act(_ action: Action.Name, submission: String, _ run: inout FlowRun) -> [FlowEffect] {
        switch action {
        case .resend: return run.resend(submission)
        case .back:
            run.claim(submission)
            expired(&run.state)
            if run.state.path == .signUp { Self.askAgain(&run.state) }
            return run.advance()
        case .cancel, .create, .forgot, .choose, .other: return [.refuse(Refusals.noSuchAction(action.rawValue))]
        }
    }

    /// Asks for the account again: of a user whom a provider has authenticated for the address alone.
    private static func askAgain(_ state: inout FlowRunState) {
        guard state.draft?.identity != nil else {
            state.draft = nil
            return
        }
        state.draft?.attributes["email"] = nil
        state.draft?.mustVerify = false
        state.draft?.awaitsAttributes = true
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
