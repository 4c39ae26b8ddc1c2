import Attempts
import AuthorityStore
import Credentials
import FlowModel
import Moments
import OAuth
import Policies

struct EmailCode {
    let evaluator: Evaluator

    func verify(_ typed: Secret, _ sent: SentCode, _ check: Check, origin: Origin) -> PreparedEvaluation {
        .attempt(AttemptCharge(check, sent.subject, origin: origin)) { ticket in
            let key = evaluator.store.derived.pepper
            let matches = OneTimeCode(typed).map { code in
                sent.mac.map { code.matches(mac: $0, key: key, context: sent.context) } ?? false
            }
            guard matches == true, !ticket.isVoid else {
                return EvaluationOutcome(finding: try await evaluator.wrong(check, sent.subject, origin: origin))
            }
            return EvaluationOutcome(finding: .right(nil), settled: Settlement(charges: ticket.settled))
        }
    }

    /// Creates a code and its e-mail message, without revealing to the caller whether a user has the address.
    func make(_ recipient: CodeRecipient, _ check: Check, _ record: FlowRecord) async throws -> EvaluationOutcome {
        if let address = recipient.unverifiedAddress { try await evaluator.requireMailServer(takes: address, record) }
        let code = OneTimeCode.generate()
        let letter = try await letter(to: recipient, code)
        try await evaluator.requireAttempts(check, letter.subject, origin: record.origin)
        // The message is charged last, so that a rejected request is not charged.
        let charged = try await evaluator.attempts.chargeMail(
            to: letter.chargedTo ?? letter.address,
            for: letter.subject,
            provenBy: CheckType.all.map(\.credential),
            origin: record.origin
        )
        let context = "\(record.order.id) \(record.history.revision)"
        let made = MadeCode(
            address: letter.address,
            subject: letter.subject,
            purpose: letter.purpose,
            person: letter.person,
            mac: code.mac(key: evaluator.store.derived.pepper, context: context),
            context: context,
            mail: letter.mail
        )
        return EvaluationOutcome(finding: .codeMade(made), mailCharges: charged)
    }

    private func letter(to recipient: CodeRecipient, _ code: OneTimeCode) async throws -> Letter {
        let users = evaluator.store.users
        switch recipient {
        case .newAddress(let address):
            let isKnown = try await users.find(signInName: address) != nil
            let isInvited = try await isWelcome(address)
            let code = MailDraft.code(to: address, code: Secret(code.reveal()))
            return Letter(
                address: address,
                subject: .name(address),
                purpose: .verifyAddress,
                mail: isKnown ? .accountExists(to: address) : isInvited ? code : .notInvited(to: address)
            )
        case .attributeAddress(let address):
            return Letter(
                address: address,
                subject: .name(address),
                purpose: .verifyAddress,
                mail: .code(to: address, code: Secret(code.reveal()))
            )
        case .person(let person, let check):
            guard let address = person.address else { throw Refusals.noAddress }
            return Letter(
                address: address,
                subject: .user(person.user),
                purpose: .check(check),
                person: person,
                mail: .code(to: address, code: Secret(code.reveal()))
            )
        case .name(let name, let check, let forPassword):
            let found = try await users.find(signInName: name)
            // A user without a password must not be able to set a password with a code.
            let user = found.flatMap { $0.enabled && (!forPassword || $0.passwordHash != nil) ? $0 : nil }
            let address = user?.email
            return Letter(
                address: address ?? name,
                chargedTo: name,
                subject: Subject(typed: name, of: found?.id),
                purpose: .check(check),
                person: address == nil ? nil : user.map { ProvenPerson($0) },
                mail: address.map { .code(to: $0, code: Secret(code.reveal())) }
            )
        }
    }

    /// Whether a user with this address is allowed to sign up.
    private func isWelcome(_ address: String) async throws -> Bool {
        guard evaluator.signUp() == .invited else { return true }
        return try await evaluator.store.invitations.has(address)
    }

    private struct Letter {
        let address: String
        /// The sign-in name whose message budget is charged, or `nil` to charge the budget of ``address``.
        var chargedTo: String?
        let subject: Subject
        let purpose: SentCode.Purpose
        var person: ProvenPerson?
        let mail: MailDraft?
    }
}

/// The step that prompts for a code that was sent to an e-mail address.
struct CodeStep: StepKind {
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

    /// Requests a code that verifies a new account's address or authenticates an identified user.
    func begin(_ run: inout FlowRun) -> Bool {
        let draft = run.record.inHand.draft
        if run.record.known.path == .signUp, let draft, draft.mustVerify, let address = draft.address {
            make(.verifying(address, isName: draft.identity == nil), &run)
            return true
        }
        guard let person = run.record.known.person, let check = run.plan.nextCheck, check.type == checkType else {
            return false
        }
        make(.person(person, check: check.name), &run)
        return true
    }

    func make(_ recipient: CodeRecipient, _ run: inout FlowRun) {
        run.evaluate(.makeCode(recipient, run.machine.codeCheck(recipient.check)))
    }

    func send(_ made: MadeCode, _ run: inout FlowRun) {
        let check = run.machine.codeCheck(made.purpose.check)
        let code = SentCode(
            address: made.address,
            subject: made.subject,
            purpose: made.purpose,
            person: made.person,
            mac: made.mac,
            context: made.context,
            ends: Deadline(check.attemptingStateExpiration, after: run.now).earlier(run.record.order.ends),
            resend: Deadline(FlowLimits.resendPause, after: run.now)
        )
        run.record.inHand.code = code
        run.record.history.mails += 1
        if let mail = made.mail { run.mail(mail) }
        run.audit(.codeSent)
        let sent = run.view.texts.codeSent(to: Self.hint(code, run.record), outbox: run.machine.outbox)
        run.open(self, check: made.purpose.check, ends: code.ends, messages: [sent])
    }

    func nodes(_ view: FlowView) -> [Node] {
        [
            Node(
                name: "code",
                kind: .code,
                label: view.texts[.code],
                required: true,
                minLength: OneTimeCode.length,
                maxLength: OneTimeCode.length,
                pattern: "digits"
            )
        ]
    }

    /// Returns the delivery channel, and a part of the address that the user can recognize.
    func data(_ record: FlowRecord) -> JSONValue? {
        guard let code = record.inHand.code else { return nil }
        return ["channel": "email", "hint": .string(Self.hint(code, record))]
    }

    func actions(_ view: FlowView) -> [Action] {
        let record = view.record
        var actions: [Action] = []
        if record.history.mails < FlowLimits.mailsPerFlow {
            actions.append(Action(.resend, availableAt: record.inHand.code?.resend.wall))
        }
        // An address that the provider has verified cannot be changed by going back.
        let isVouchedFor = record.inHand.draft.map { $0.identity != nil && !$0.asksAddress } ?? false
        if record.known.person == nil, !isVouchedFor { actions.append(Action(.back)) }
        return actions
    }

    /// Returns how long the step stays open after its code has expired, so that the user can request another code.
    func lifetime(of check: Check?) -> Duration { FlowLimits.stepLife }

    /// Returns the deadline of `step`, which a wrong answer does not extend.
    func ends(after step: OpenStep, _ run: FlowRun) -> Deadline { step.ends }

    func budget(_ plan: FlowPlan) -> StepBudget? {
        plan.record.inHand.code.map { code in
            StepBudget(check: plan.machine.codeCheck(code.purpose.check), holder: .subject(code.subject))
        }
    }

    func read(_ answers: Answers, _ run: FlowRun) throws(Answers.Refused) -> Answer {
        var answers = answers
        let text = answers.text("code", most: 32)
        if let text, OneTimeCode(Secret(text)) == nil {
            answers.note("code", .malformed)
        }
        try answers.finish()
        guard let text, let sent = run.record.inHand.code else { throw .malformed([]) }
        return Answer(code: Secret(text), sent: sent, check: run.machine.codeCheck(run.record.step?.check))
    }

    func take(_ answer: Answer, _ run: inout FlowRun) {
        run.evaluate(.code(typed: answer.code, sent: answer.sent, check: answer.check))
    }

    /// Continues the flow with the user that the code authenticates, and invalidates the code.
    func proved(_ person: ProvenPerson?, names: [String], _ run: inout FlowRun) {
        guard let code = run.record.inHand.code else { return run.fail(.internal) }
        var proven: ProvenPerson?
        if case .check = code.purpose, run.record.known.person == nil {
            guard let person = code.person else { return run.fail(.internal) }
            proven = person
        }
        run.record.inHand.code = nil
        if case .verifyAddress = code.purpose { run.record.known.provenAddress = code.address }
        run.record.inHand.draft?.mustVerify = false
        let known = proven.map { [$0.username, code.address] } ?? []
        run.credit(proven, names: known, by: run.machine.codeCheck(code.purpose.check))
    }

    func act(_ action: Action.Name, submission: String, _ run: inout FlowRun) {
        switch action {
        case .resend: resend(submission, &run)
        case .back:
            run.claim(submission)
            expired(&run.record)
            if run.record.known.path == .signUp { Self.askAgain(&run.record.inHand) }
            run.advance()
        case .cancel, .create, .forgot, .choose, .other: run.refuse(Refusals.noSuchAction(action.rawValue))
        }
    }

    private func resend(_ submission: String, _ run: inout FlowRun) {
        let (known, inHand) = (run.record.known, run.record.inHand)
        guard let code = inHand.code else { return run.refuse(Refusals.noSuchAction("resend")) }
        if let refusal = Self.mailRefusal(sameAs: true, run) { return run.refuse(refusal) }
        let recipient: CodeRecipient? =
            switch code.purpose {
            case .verifyAddress: .verifying(code.address, isName: inHand.draft?.identity == nil)
            case .check(let check):
                known.person.map { .person($0, check: check) }
                    ?? inHand.typedName.map { .name($0, check: check, forPassword: known.path == .reset) }
            }
        guard let recipient else { return run.refuse(Refusals.noSuchAction("resend")) }
        run.claim(submission)
        run.record.inHand.code?.mac = nil
        make(recipient, &run)
    }

    /// Prompts again for the account data or, if a provider authenticated the user, only for the address.
    private static func askAgain(_ inHand: inout InHand) {
        guard inHand.draft?.identity != nil else {
            inHand.draft = nil
            return
        }
        inHand.draft?.attributes["email"] = nil
        inHand.draft?.mustVerify = false
        inHand.draft?.awaitsAttributes = true
    }

    func expired(_ record: inout FlowRecord) { record.inHand.code?.mac = nil }

    /// Throws if the flow has sent too many messages or, with `isSame`, has just sent one to the same address.
    static func requireMail(sameAs isSame: Bool, _ run: FlowRun) throws(Answers.Refused) {
        if let refusal = mailRefusal(sameAs: isSame, run) { throw .refused(refusal) }
    }

    /// Returns the refusal for a message that must not be sent now, or `nil` if the message can be sent.
    static func mailRefusal(sameAs isSame: Bool, _ run: FlowRun) -> Refusal? {
        guard run.record.history.mails < FlowLimits.mailsPerFlow else { return Refusals.tooManyMails }
        guard let code = run.record.inHand.code, isSame, !code.resend.hasPassed(at: run.now) else { return nil }
        return Refusals.tooSoon(ms: code.resend.millisecondsLeft(at: run.now))
    }

    /// Returns the address with most of its local part hidden and its domain in Unicode, such as `j•••@example.org`.
    static func hint(_ code: SentCode, _ record: FlowRecord) -> String {
        let address =
            if case .check = code.purpose, record.known.person == nil {
                record.inHand.typedName ?? ""
            } else {
                code.address
            }
        let parts = MailAddress.shown(address).split(separator: "@", maxSplits: 1)
        return parts.count == 2 ? "\(parts[0].prefix(1))•••@\(parts[1])" : "•••"
    }
}
