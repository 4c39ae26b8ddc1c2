import FlowModel
import Moments
import OAuth

/// Asks for the person's consent that a client may act for them, unless it was given before for all of the scopes.
struct ConsentStep: StepKind {
    let type = StepType.consent
    let texts = StepTexts(title: .consentTitle)
    let isAboutClient = true

    func begin(_ run: inout FlowRun) -> [FlowEffect]? {
        guard let consent = run.state.requirement.consent, !run.state.consented, run.context.nextCheck == nil else {
            return nil
        }
        if let person = run.state.person, consent.asksAgain != true, run.state.hasConsentedBefore == nil {
            return [.evaluate(.consent(person.user, consent))]
        }
        guard run.state.hasConsentedBefore != true else { return nil }
        return run.open(self)
    }

    func nodes(_ context: FlowContext) -> [Node] {
        let scopes = context.state.requirement.consent?.scopes ?? []
        return scopes.map {
            Node(name: $0.scope, kind: .info, label: $0.description, required: false, value: $0.scope)
        } + [Node(name: "allow", kind: .bool, label: context.texts[.allow], required: true)]
    }

    func data(_ state: FlowRunState) -> JSONValue? {
        guard let consent = state.requirement.consent else { return nil }
        return [
            "client": .string(consent.client),
            "clientName": .string(consent.clientName),
            "scopes": .array(consent.scopes.map { .string($0.scope) }),
        ]
    }

    func read(_ answers: Answers, _ run: FlowRun) throws(Answers.Refused) -> Bool {
        var answers = answers
        let value = answers.take("allow")
        if value == nil { answers.note("allow", .missing) }
        if let value, value.bool == nil { answers.note("allow", .wrongType) }
        try answers.finish()
        guard let allows = value?.bool else { throw .malformed([]) }
        return allows
    }

    /// Continues after yes, ends the flow after no; what the person has changed before is kept.
    func take(_ allows: Bool, _ run: inout FlowRun) -> [FlowEffect] {
        guard allows else { return run.keepChanges() + [.audit(.consentDenied)] + run.fail(.denied) }
        run.state.consented = true
        return run.advance()
    }
}
