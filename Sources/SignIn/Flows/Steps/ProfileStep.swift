import FlowModel
import Moments
import OAuth
import Policies

/// The step in which an identified user changes attributes, with the current values prefilled.
struct ProfileStep: StepKind {
    let type = StepType.profile
    let texts = StepTexts(title: .profileTitle)

    /// Once all checks are passed, looks up the user's attributes and then opens the step.
    func begin(_ run: inout FlowRun) -> Bool {
        switch run.machine.policy.kind {
        case .signUp, .signIn, .signUpOrSignIn, .social, .stepUp, .passwordReset: return false
        case .profileEdit: break
        }
        guard run.record.inHand.edited == nil, run.plan.nextCheck == nil, let person = run.record.known.person else {
            return false
        }
        if run.record.inHand.profile == nil { run.evaluate(.findProfile(person.user)) } else { run.open(self) }
        return true
    }

    func nodes(_ view: FlowView) -> [Node] {
        AttributeForm(view: view).nodes(view.policy.attributes)
    }

    func read(_ answers: Answers, _ run: FlowRun) throws(Answers.Refused) -> [String: JSONValue] {
        var answers = answers
        let edited = AttributeForm(view: run.view).edited(&answers)
        try answers.finish()
        return edited
    }

    func take(_ edited: [String: JSONValue], _ run: inout FlowRun) {
        run.record.inHand.edited = edited
        run.advance()
    }
}
