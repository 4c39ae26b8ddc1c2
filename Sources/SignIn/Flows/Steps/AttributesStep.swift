import FlowModel
import Foundation
import Moments
import OAuth
import Policies

/// Asks a new person for attributes and a new password.
struct AttributesStep: StepKind {
    /// A new person's account as far as it was given.
    struct Answer {
        let draft: Draft
        let password: Secret?
        /// The values to fill in if the step is repeated.
        let prefill: [String: JSONValue]
    }

    let type = StepType.attributes
    let texts = StepTexts(title: .attributesTitle)

    func begin(_ run: inout FlowRun) -> [FlowEffect]? {
        guard run.state.path == .signUp, run.state.draft?.awaitsAttributes ?? (run.state.draft == nil) else {
            return nil
        }
        return run.open(self)
    }

    func nodes(_ context: FlowContext) -> [Node] {
        AttributeForm(context: context).nodes(context.askedAttributes)
            + (asksPassword(context) ? [Self.passwordNode("password", context.policy.password, context.texts)] : [])
    }

    func actions(_ context: FlowContext) -> [Action] {
        let mayReturn =
            context.policy.kind.signsIn && context.state.requirement.entrance == .policy
            && context.state.draft?.identity == nil
        return mayReturn ? [Action(.back)] : []
    }

    func read(_ answers: Answers, _ run: FlowRun) throws(Answers.Refused) -> Answer {
        if run.machine.signUp == .closed { throw .refused(Refusals.signUpClosed) }
        var answers = answers
        let policy = run.machine.policy
        let values = AttributeForm(context: run.context).values(&answers)
        var password: Secret?
        if asksPassword(run.context) {
            password = answers.newPassword("password", policy.password, on: run.machine.today)
        }
        try answers.finish()
        if var draft = run.state.draft, draft.identity != nil {
            draft.attributes.merge(values) { $1 }
            draft.awaitsAttributes = nil
            if let email = values["email"]?.string, draft.asksAddress == true {
                draft.mustVerify = !isProven(email, run.state)
                if draft.mustVerify { try run.requireMail(sameAs: isAddress(email, of: run.state.code)) }
            }
            return Answer(draft: draft, password: nil, prefill: values)
        }
        let email = values["email"]?.string
        let draft = Draft(
            email: policy.signInName.attributes.contains("email") ? email : nil,
            username: values["username"]?.string,
            attributes: values,
            passwordHash: nil,
            mustVerify: email != nil && run.context.verifiesAddress && !isProven(email, run.state)
        )
        try requireName(draft, run.state)
        if draft.mustVerify {
            try run.requireMail(sameAs: email.map { isAddress($0, of: run.state.code) } ?? false)
        }
        return Answer(draft: draft, password: password, prefill: values)
    }

    func take(_ answer: Answer, _ run: inout FlowRun) -> [FlowEffect] {
        run.state.draft = answer.draft
        run.state.prefill = answer.prefill
        if let password = answer.password {
            return [.evaluate(.hash(password, mailTo: answer.draft.mustVerify ? answer.draft.email : nil))]
        }
        return run.advance()
    }

    func hashed(_ hash: Data, _ run: inout FlowRun) -> [FlowEffect] {
        run.state.draft?.passwordHash = hash
        return run.advance()
    }

    /// Returns to the sign-in.
    func act(_ action: Action.Name, submission: String, _ run: inout FlowRun) -> [FlowEffect] {
        run.claim(submission)
        run.state.code?.mac = nil
        run.state.path = .signIn
        return run.advance()
    }

    func interrupted(_ state: inout FlowRunState) {
        if state.draft?.identity == nil { state.draft = nil } else { state.draft?.awaitsAttributes = true }
    }

    private func isAddress(_ email: String, of code: SentCode?) -> Bool {
        code.map { Names.areEqual($0.address, email) } ?? false
    }

    private func isProven(_ email: String?, _ state: FlowRunState) -> Bool {
        guard let email, let proven = state.provenAddress else { return false }
        return Names.areEqual(email, proven)
    }

    private func asksPassword(_ context: FlowContext) -> Bool {
        context.state.draft?.identity == nil && context.plannedChecks.contains { $0.credential == .password }
    }

    /// The field of a new password.
    static func passwordNode(_ name: String, _ rule: PasswordRule, _ texts: Texts) -> Node {
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

    /// Refuses a sign-up under another name than the required one.
    private func requireName(_ draft: Draft, _ state: FlowRunState) throws(Answers.Refused) {
        guard case .signInName(let name) = state.requirement.user else { return }
        let names = [draft.email, draft.username].compactMap { $0 }
        guard names.contains(where: { Names.areEqual($0, name) }) else { throw .refused(Refusals.wrongUser) }
    }
}
