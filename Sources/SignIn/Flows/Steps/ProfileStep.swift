import FlowModel
import Moments
import OAuth
import Policies

/// Asks a known person for the attributes that the policy lets people change, filled in with those they have.
struct ProfileStep: StepKind {
    let type = StepType.profile
    let texts = StepTexts(title: .profileTitle)

    /// Looks up the attributes first, once everything is proved.
    func begin(_ run: inout FlowRun) -> [FlowEffect]? {
        switch run.machine.policy.kind {
        case .signUp, .signIn, .signUpOrSignIn, .social, .stepUp, .passwordReset: return nil
        case .profileEdit: break
        }
        guard run.state.edited == nil, run.context.nextCheck == nil, let person = run.state.person else { return nil }
        guard run.state.profile != nil else { return [.evaluate(.findProfile(person.user))] }
        return run.open(self)
    }

    func nodes(_ context: FlowContext) -> [Node] {
        AttributeForm(context: context).nodes(context.policy.attributes)
    }

    func read(_ answers: Answers, _ run: FlowRun) throws(Answers.Refused) -> [String: JSONValue] {
        var answers = answers
        let edited = AttributeForm(context: run.context).edited(&answers)
        try answers.finish()
        return edited
    }

    func take(_ edited: [String: JSONValue], _ run: inout FlowRun) -> [FlowEffect] {
        run.state.edited = edited
        return run.advance()
    }
}
