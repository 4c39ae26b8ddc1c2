import FlowModel
import Foundation
import Moments
import OAuth
import Policies

/// The step that prompts a new user for attributes and a new password.
struct AttributesStep: StepKind {
    struct Answer {
        let draft: Draft
        let password: Secret?
        let prefill: [String: JSONValue]
    }

    let type = StepType.attributes
    let texts = StepTexts(title: .attributesTitle)

    func begin(_ run: inout FlowRun) -> Bool {
        guard run.record.known.path == .signUp, run.record.inHand.draft?.awaitsAttributes ?? true else {
            return false
        }
        run.open(self)
        return true
    }

    func nodes(_ view: FlowView) -> [Node] {
        AttributeForm(view: view).nodes(view.plan.askedAttributes)
            + (asksPassword(view.plan) ? [NewPasswordStep.node("password", view.policy.password, view.texts)] : [])
    }

    func actions(_ view: FlowView) -> [Action] {
        let mayReturn =
            view.policy.kind.signsIn && view.record.order.requirement.entrance == .policy
            && view.record.inHand.draft?.identity == nil
        return mayReturn ? [Action(.back)] : []
    }

    func read(_ answers: Answers, _ run: FlowRun) throws(Answers.Refused) -> Answer {
        if run.machine.signUp == .closed { throw .refused(Refusals.signUpClosed) }
        var answers = answers
        let policy = run.machine.policy
        let values = AttributeForm(view: run.view).values(&answers)
        var password: Secret?
        if asksPassword(run.plan) {
            password = answers.newPassword("password", policy.password, on: run.machine.today)
        }
        try answers.finish()
        if var draft = run.record.inHand.draft, draft.identity != nil {
            draft.attributes.merge(values) { $1 }
            draft.awaitsAttributes = false
            if let email = values["email"]?.string, draft.asksAddress {
                draft.mustVerify = !isProven(email, run.record)
                if draft.mustVerify {
                    try CodeStep.requireMail(sameAs: isAddress(email, of: run.record.inHand.code), run)
                }
            }
            return Answer(draft: draft, password: nil, prefill: values)
        }
        let email = values["email"]?.string
        let draft = Draft(
            email: policy.signInName.attributes.contains("email") ? email : nil,
            username: values["username"]?.string,
            attributes: values,
            passwordHash: nil,
            mustVerify: email != nil && run.plan.verifiesAddress && !isProven(email, run.record)
        )
        try requireName(draft, run.record)
        if draft.mustVerify {
            let isSame = email.map { isAddress($0, of: run.record.inHand.code) } ?? false
            try CodeStep.requireMail(sameAs: isSame, run)
        }
        return Answer(draft: draft, password: password, prefill: values)
    }

    func take(_ answer: Answer, _ run: inout FlowRun) {
        run.record.inHand.draft = answer.draft
        run.record.inHand.prefill = answer.prefill
        let draft = answer.draft
        if let password = answer.password {
            let sendsCode = draft.mustVerify && draft.email != nil
            return run.evaluate(.hashOfAccount(password, address: draft.address, sendsCode: sendsCode))
        }
        // A step that sends a code to the address checks the address itself.
        if draft.identity == nil, !draft.mustVerify, let address = draft.address {
            return run.evaluate(.address(address))
        }
        run.advance()
    }

    func hashed(_ hash: Data, _ run: inout FlowRun) {
        run.record.inHand.draft?.passwordHash = hash
        run.advance()
    }

    func act(_ action: Action.Name, submission: String, _ run: inout FlowRun) {
        run.claim(submission)
        run.record.inHand.code?.mac = nil
        run.record.known.path = .signIn
        run.advance()
    }

    func interrupted(_ record: inout FlowRecord) {
        if record.inHand.draft?.identity == nil {
            record.inHand.draft = nil
        } else {
            record.inHand.draft?.awaitsAttributes = true
        }
    }

    private func isAddress(_ email: String, of code: SentCode?) -> Bool {
        code.map { Names.areEqual($0.address, email) } ?? false
    }

    private func isProven(_ email: String?, _ record: FlowRecord) -> Bool {
        guard let email, let proven = record.known.provenAddress else { return false }
        return Names.areEqual(email, proven)
    }

    private func asksPassword(_ plan: FlowPlan) -> Bool {
        plan.record.inHand.draft?.identity == nil && plan.plannedChecks.contains { $0.credential == .password }
    }

    /// Rejects a sign-up if the new account's sign-in name differs from the name that the flow requires.
    private func requireName(_ draft: Draft, _ record: FlowRecord) throws(Answers.Refused) {
        guard case .signInName(let name) = record.order.requirement.user else { return }
        let names = [draft.email, draft.username].compactMap { $0 }
        guard names.contains(where: { Names.areEqual($0, name) }) else { throw .refused(Refusals.wrongUser) }
    }
}
