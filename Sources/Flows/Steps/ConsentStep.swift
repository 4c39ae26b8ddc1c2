import FlowModel
import Moments
import OAuth

/// Whether a program may act for the person.
extension FlowMachine {
    /// What a consent step asks for: what the program wants, and yes or no.
    func consentNodes(_ state: FlowRunState) -> [Node] {
        let scopes = state.requirement.consent?.scopes ?? []
        return scopes.map {
            Node(name: $0.scope, kind: .info, label: $0.description, required: false, value: $0.scope)
        } + [Node(name: "allow", kind: .bool, label: "Allow", required: true)]
    }

    /// What machines see of a consent step.
    func consentFacts(_ state: FlowRunState) -> JSONValue? {
        guard let consent = state.requirement.consent else { return nil }
        return [
            "client": .string(consent.client),
            "clientName": .string(consent.clientName),
            "scopes": .array(consent.scopes.map { .string($0.scope) }),
        ]
    }

    /// Reads the answer to a consent step.
    func readConsent(_ answers: Answers) throws(Answers.Refused) -> Bool {
        var answers = answers
        let value = answers.take("allow")
        if value == nil { answers.note("allow", .missing, "An answer is needed.") }
        if let value, value.bool == nil { answers.note("allow", .wrongType, "This must be true or false.") }
        try answers.finish()
        guard let allows = value?.bool else { throw .malformed([]) }
        return allows
    }

    /// Goes on with yes, ends with no.
    func consentTaken(_ state: inout FlowRunState, _ allows: Bool, now: Moment) -> [FlowEffect] {
        guard allows else { return [.audit("consent.denied")] + fail(&state, .denied, now: now) }
        state.consented = true
        return advance(&state, now: now)
    }
}
