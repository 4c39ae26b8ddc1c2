import FlowModel
import Moments
import OAuth

/// The step that prompts for consent to a client, unless the user has already consented to all the scopes.
struct ConsentStep: StepKind {
    let type = StepType.consent
    let texts = StepTexts(title: .consentTitle)
    let isAboutClient = true

    func begin(_ run: inout FlowRun) -> Bool {
        guard let consent = run.record.order.requirement.consent, !run.record.known.consented, run.plan.nextCheck == nil
        else {
            return false
        }
        if let person = run.record.known.person, consent.asksAgain != true, run.record.known.hasConsentedBefore == nil {
            run.evaluate(.consent(person.user, consent))
            return true
        }
        guard run.record.known.hasConsentedBefore != true else { return false }
        run.open(self)
        return true
    }

    func nodes(_ view: FlowView) -> [Node] {
        let scopes = view.record.order.requirement.consent?.scopes ?? []
        return scopes.map {
            Node(name: $0.scope, kind: .info, label: $0.description, required: false, value: $0.scope)
        } + [Node(name: "allow", kind: .bool, label: view.texts[.allow], required: true)]
    }

    func data(_ record: FlowRecord) -> JSONValue? {
        guard let consent = record.order.requirement.consent else { return nil }
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

    /// Continues the flow if the user consents, and otherwise ends it but keeps earlier changes to the account.
    func take(_ allows: Bool, _ run: inout FlowRun) {
        guard allows else {
            run.keepChanges()
            run.audit(.consentDenied)
            return run.fail(.denied)
        }
        run.record.known.consented = true
        run.advance()
    }
}
