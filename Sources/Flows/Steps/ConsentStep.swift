import FlowModel
import Moments
import OAuth

/// Asks for the person's consent that a client may act for them, unless it was given before for all of the scopes.
struct ConsentStep: StepKind {
    let type = StepType.consent
    let texts = StepTexts(title: .consentTitle)

    func begin(_ machine: FlowMachine, _ state: inout FlowRunState, now: Moment) -> [FlowEffect]? {
        guard let consent = state.requirement.consent, !state.consented, machine.nextCheck(state) == nil else {
            return nil
        }
        if let person = state.person, consent.asksAgain != true, state.hasConsentedBefore == nil {
            return [.evaluate(.consent(person.user, consent))]
        }
        guard state.hasConsentedBefore != true else { return nil }
        return machine.open(&state, self, now: now)
    }

    func nodes(_ machine: FlowMachine, _ state: FlowRunState) -> [Node] {
        let scopes = state.requirement.consent?.scopes ?? []
        return scopes.map {
            Node(name: $0.scope, kind: .info, label: $0.description, required: false, value: $0.scope)
        } + [Node(name: "allow", kind: .bool, label: machine.texts(state)[.allow], required: true)]
    }

    func data(_ state: FlowRunState) -> JSONValue? {
        guard let consent = state.requirement.consent else { return nil }
        return [
            "client": .string(consent.client),
            "clientName": .string(consent.clientName),
            "scopes": .array(consent.scopes.map { .string($0.scope) }),
        ]
    }

    func read(
        _ answers: Answers,
        _ machine: FlowMachine,
        _ state: FlowRunState,
        now: Moment
    ) throws(Answers.Refused) -> Bool {
        var answers = answers
        let value = answers.take("allow")
        if value == nil { answers.note("allow", .missing, machine.texts(state)[.missing]) }
        if let value, value.bool == nil { answers.note("allow", .wrongType, machine.texts(state)[.notBoolean]) }
        try answers.finish()
        guard let allows = value?.bool else { throw .malformed([]) }
        return allows
    }

    /// Continues after yes, ends the flow after no.
    func take(
        _ allows: Bool,
        _ machine: FlowMachine,
        _ state: inout FlowRunState,
        now: Moment
    ) -> [FlowEffect] {
        guard allows else { return [.audit(.consentDenied)] + machine.fail(&state, .denied, now: now) }
        state.consented = true
        return machine.advance(&state, now: now)
    }
}
