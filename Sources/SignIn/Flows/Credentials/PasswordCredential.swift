import Attempts
import AuthorityStore
import Credentials
import FlowModel
import Foundation
import Moments
import OAuth
import Policies

struct PasswordCredential: CredentialKind {
    let credential = Credential.password

    func change(setting secret: Data, of person: UserID, _ record: FlowRecord, at now: Moment) -> AccountChange {
        .setPassword(Secret(bytes: secret))
    }

    /// Prepares the comparison of a password with the stored hash.
    ///
    /// A hashing slot is reserved first, so that nothing is charged if no slot is free. An unknown name or a disabled
    /// user costs one attempt and one hash, like a wrong password.
    func verify(
        _ password: Secret,
        of name: String,
        _ check: Check,
        origin: Origin,
        _ evaluator: Evaluator
    ) async throws -> PreparedEvaluation {
        let user = try await evaluator.store.users.find(signInName: name)
        let subject = Subject(typed: name, of: user?.id)
        let place = try evaluator.place(for: origin)
        return .attempt(AttemptCharge(check, subject, origin: origin)) { ticket in
            let result = try await compare(password, with: ticket.isVoid ? nil : user, in: place, evaluator)
            guard let user, user.enabled, result.matches else {
                let budget = CheckBudget(check)
                try await evaluator.attempts.note(
                    wrong: password,
                    ticket,
                    check: budget,
                    subject: subject,
                    origin: origin
                )
                return EvaluationOutcome(finding: try await evaluator.wrong(check, subject, origin: origin))
            }
            return EvaluationOutcome(
                finding: .right(ProvenPerson(user), names: user.signInNames.map(\.value)),
                settled: Settlement(charges: ticket.settled),
                stale: result.needsRehash
                    ? user.passwordHash.map { StaleHash(user: user.id, hash: $0, password: password, origin: origin) }
                    : nil
            )
        }
    }

    private func compare(
        _ password: Secret,
        with user: UserRecord?,
        in place: HashPlace,
        _ evaluator: Evaluator
    ) async throws -> PasswordHasher.Verification {
        let pepper = evaluator.store.derived.pepper
        guard let hash = user?.passwordHash else {
            return try await evaluator.hasher.verifyNothing(password, pepper: pepper, in: place)
        }
        return try await evaluator.hasher.verify(password, against: hash, pepper: pepper, in: place)
    }

    /// Prepares the hashing of a new password, and throws a `Refusal` if it is the same as the current password.
    func renew(
        _ password: Secret,
        of user: UserID,
        _ record: FlowRecord,
        _ evaluator: Evaluator
    ) async throws -> PreparedEvaluation {
        let origin = record.origin
        guard let old = try await evaluator.store.users.get(user)?.passwordHash else {
            return try await evaluator.hash(password, origin: origin)
        }
        let place = try evaluator.place(for: origin)
        return .hash(origin) {
            let pepper = evaluator.store.derived.pepper
            let result = try await evaluator.hasher.verify(password, against: old, pepper: pepper, in: place)
            guard !result.matches else { throw Refusals.samePassword(in: record.order.presentation.language) }
            return try await evaluator.run(try await evaluator.hash(password, origin: origin))
        }
    }
}

/// A stored password hash with outdated cost parameters, and the password that it was computed from.
struct StaleHash: Sendable {
    let user: UserID
    let hash: Secret
    let password: Secret
    let origin: Origin

    /// Replaces the hash in the background, so that the user's answer takes no longer than any other answer.
    ///
    /// If this fails, the hash is replaced after a later correct answer.
    func renew(_ evaluator: Evaluator) {
        guard let place = try? evaluator.place(for: origin) else { return }
        Task(priority: .background) {
            let pepper = evaluator.store.derived.pepper
            let new = try await evaluator.hasher.hash(password, pepper: pepper, in: place)
            try await evaluator.store.users.rehash(user, from: hash, to: new)
        }
    }
}

/// The step that prompts for a sign-in name and a password.
struct PasswordStep: StepKind {
    struct Answer {
        let name: String
        let password: Secret
        let check: Check
        let remembers: Bool
    }

    let type = StepType.password
    let checkType: CheckType? = .password
    let texts = StepTexts(title: .passwordTitle, wrong: .credentialsWrong, wrongNode: "password")

    func nodes(_ view: FlowView) -> [Node] {
        [
            view.nameNode,
            Node(
                name: "password",
                kind: .secret,
                label: view.texts[.password],
                required: true,
                minLength: 1,
                maxLength: FlowLimits.passwordLength
            ),
        ] + (view.plan.offersToRemember ? [Self.rememberMe(view.texts)] : [])
    }

    /// Returns the node for the user's choice to stay signed in, with the name that MobileFirst uses.
    private static func rememberMe(_ texts: Texts) -> Node {
        Node(name: "rememberMe", kind: .bool, label: texts[.rememberMe], required: false)
    }

    func actions(_ view: FlowView) -> [Action] {
        (view.mayCreate ? [Action(.create)] : []) + (view.mayForget ? [Action(.forgot)] : [])
    }

    func budget(_ plan: FlowPlan) -> StepBudget? {
        plan.check.map { StepBudget(check: $0, holder: holder(plan.record)) }
    }

    /// Returns the holder of the attempts that the next answer uses up, or `nil` if the user can still change the
    /// sign-in name.
    private func holder(_ record: FlowRecord) -> StepBudget.Holder? {
        if let person = record.known.person { return .signInName(person.username) }
        if let name = record.inHand.typedName { return .signInName(name) }
        switch record.order.requirement.user {
        case .user(let user): return .usualName(of: user)
        case .signInName(let name): return .signInName(name)
        case .hint, nil: return nil
        }
    }

    func read(_ answers: Answers, _ run: FlowRun) throws(Answers.Refused) -> Answer {
        var answers = answers
        let plan = run.plan
        let name = answers.signInName(run.machine.policy.signInName, fallback: plan.knownName)
        let password = answers.text("password", most: FlowLimits.passwordLength)
        let remembers = plan.offersToRemember ? answers.take("rememberMe") : nil
        if let remembers, remembers.bool == nil { answers.note("rememberMe", .wrongType) }
        try answers.finish()
        guard let name, let password, let check = plan.check else { throw .malformed([]) }
        return Answer(name: name, password: Secret(password), check: check, remembers: remembers?.bool == true)
    }

    func take(_ answer: Answer, _ run: inout FlowRun) {
        run.record.inHand.typedName = answer.name
        run.record.known.remembers = answer.remembers
        run.evaluate(.password(name: answer.name, password: answer.password, check: answer.check))
    }

    func act(_ action: Action.Name, submission: String, _ run: inout FlowRun) {
        switch action {
        case .create: run.take(.signUp, submission)
        case .forgot: run.take(.reset, submission)
        case .cancel, .resend, .back, .choose, .other: run.refuse(Refusals.noSuchAction(action.rawValue))
        }
    }

    /// Goes back from password reset to sign-in if no code could be sent.
    func interrupted(_ record: inout FlowRecord) {
        if record.known.path == .reset { record.known.path = .signIn }
    }
}

/// The step in which an identified user sets a new password after passing all sign-in checks in the same flow.
struct NewPasswordStep: StepKind {
    let type = StepType.newPassword
    let texts = StepTexts(title: .newPasswordTitle)

    func begin(_ run: inout FlowRun) -> Bool {
        guard run.record.inHand.secrets[.password] == nil, run.record.known.person != nil else { return false }
        let next = run.plan.nextCheck
        switch run.record.known.path {
        case .signUp: return false
        case .reset:
            guard next == nil || next?.credential == .password else { return false }
            run.open(self)
        case .signIn:
            guard next == nil, run.plan.passwordHasExpired(at: run.now) else { return false }
            run.open(self, messages: [run.view.texts.message(.passwordExpired, .info)])
        }
        return true
    }

    func nodes(_ view: FlowView) -> [Node] {
        [Self.node("newPassword", view.policy.password, view.texts)]
    }

    static func node(_ name: String, _ rule: PasswordRule, _ texts: Texts) -> Node {
        Node(
            name: name,
            kind: .secret,
            label: texts[.newPassword],
            required: true,
            minLength: rule.minLength,
            maxLength: rule.maxLength,
            hint: texts.hint(rule)
        )
    }

    func read(_ answers: Answers, _ run: FlowRun) throws(Answers.Refused) -> Secret {
        var answers = answers
        let password = answers.newPassword("newPassword", run.machine.policy.password, on: run.machine.today)
        try answers.finish()
        guard let password else { throw .malformed([]) }
        return password
    }

    func take(_ password: Secret, _ run: inout FlowRun) {
        guard let person = run.record.known.person else { return run.fail(.internal) }
        run.evaluate(.newPassword(password, person.user))
    }

    /// Counts the password check as passed, and stores the hash only when the flow succeeds.
    func hashed(_ hash: Data, _ run: inout FlowRun) {
        run.record.inHand.secrets[.password] = hash
        let check = run.machine.catalogue.checks.values.filter { $0.type == .password }.min { $0.name < $1.name }
        guard let check, !run.record.known.proves(.password) else { return run.advance() }
        run.credit(nil, names: [], by: check)
    }
}

extension FlowPlan {
    func passwordHasExpired(at now: Moment) -> Bool {
        guard let person = known.person, let setAt = person.passwordSetAt, known.proves(.password) else { return false }
        if person.mustChangePassword { return true }
        return policy.password.expiresAfter.map { !Proof.isRecent(setAt, within: $0, at: now) } ?? false
    }
}

extension Answers {
    /// Reads the new password from the node `name`, and records a problem if the password does not satisfy `rule`.
    mutating func newPassword(_ name: String, _ rule: PasswordRule, on today: CalendarDay) -> Secret? {
        let password = text(name, most: FlowLimits.answerBytes).map { Secret($0) }
        if let refusal = password.flatMap({ rule.refusal(of: $0, on: today) }) { note(name, refusal, of: rule) }
        return password
    }
}
