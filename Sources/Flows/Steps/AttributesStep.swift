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

    func begin(_ machine: FlowMachine, _ state: inout FlowRunState, now: Moment) -> [FlowEffect]? {
        guard state.path == .signUp, state.draft == nil else { return nil }
        return machine.open(&state, self, now: now)
    }

    func nodes(_ machine: FlowMachine, _ state: FlowRunState) -> [Node] {
        let reader = AttributesReader(machine: machine, state: state)
        return machine.policy.attributes.map(reader.node)
            + (asksPassword(machine, state) ? [passwordNode(machine.policy.password, machine.texts(state))] : [])
    }

    func actions(_ machine: FlowMachine, _ state: FlowRunState) -> [Action] {
        let mayReturn = machine.policy.kind.signsIn && state.requirement.entrance == .policy
        return mayReturn ? [Action(.back)] : []
    }

    func read(
        _ answers: Answers,
        _ machine: FlowMachine,
        _ state: FlowRunState,
        now: Moment
    ) throws(Answers.Refused) -> Answer {
        if machine.signUp == .closed { throw .refused(Refusals.signUpClosed) }
        var answers = answers
        let policy = machine.policy
        let values = AttributesReader(machine: machine, state: state).values(&answers)
        var password: Secret?
        if asksPassword(machine, state) {
            password = answers.text("password", most: FlowLimits.answerBytes).map { Secret($0) }
            if let problem = password.flatMap({ policy.password.refusal(of: $0) }) {
                answers.note(machine.texts(state).problem("password", problem))
            }
        }
        try answers.finish()
        let email = values["email"]?.string
        let draft = Draft(
            email: policy.signInName == .username ? nil : email,
            username: values["username"]?.string,
            attributes: values,
            passwordHash: nil,
            mustVerify: email != nil && machine.verifiesAddress(state)
        )
        try requireName(draft, state)
        if draft.mustVerify {
            let isSame = state.code.map { code in email.map { Names.areEqual(code.address, $0) } ?? false } ?? false
            try machine.requireMail(state, sameAs: isSame, now: now)
        }
        return Answer(draft: draft, password: password, prefill: values)
    }

    func take(
        _ answer: Answer,
        _ machine: FlowMachine,
        _ state: inout FlowRunState,
        now: Moment
    ) -> [FlowEffect] {
        state.draft = answer.draft
        state.prefill = answer.prefill
        if let password = answer.password {
            return [.evaluate(.hash(password, mailTo: answer.draft.mustVerify ? answer.draft.email : nil))]
        }
        return machine.advance(&state, now: now)
    }

    /// Returns to the sign-in.
    func act(
        _ action: Action.Name,
        submission: String,
        _ machine: FlowMachine,
        _ state: inout FlowRunState,
        now: Moment
    ) -> [FlowEffect] {
        machine.claim(&state, submission, now: now)
        state.code?.mac = nil
        state.path = .signIn
        return machine.advance(&state, now: now)
    }

    func interrupted(_ state: inout FlowRunState) { state.draft = nil }

    private func asksPassword(_ machine: FlowMachine, _ state: FlowRunState) -> Bool {
        machine.plannedChecks(state).contains { $0.credential == .password }
    }

    private func passwordNode(_ rule: PasswordRule, _ texts: Texts) -> Node {
        Node(
            name: "password",
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

extension FlowMachine {
    /// True if a new account's address has to be proved by a code.
    func verifiesAddress(_ state: FlowRunState) -> Bool {
        let needsCode = plannedChecks(state).contains { $0.credential == .email }
        return policy.attribute("email")?.verify == true || needsCode || signUp == .invited
    }
}
