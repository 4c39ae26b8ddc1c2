import CustomIdentity
import FlowModel
import Foundation
import Moments
import OAuth
import Policies

extension FlowContext {
    /// The connector that is to be asked before the next question; nil if none is.
    var dueConnector: Connector? {
        guard state.path == .signUp, let draft = state.draft else { return nil }
        if draft.identity != nil, let connector = unasked(.afterFederation) { return connector }
        return draft.mustVerify || draft.awaitsAttributes == true ? nil : unasked(.beforeUserCreated)
    }

    /// The attributes that a new person is asked for: a person whom a provider knows has no name to sign in under here.
    var askedAttributes: [AttributeRule] {
        guard let draft = state.draft, draft.identity != nil else { return policy.attributes }
        let others =
            policy.connectors[.afterFederation] == nil
            ? [] : policy.attributes.filter { !policy.signInName.attributes.contains($0.name) && !$0.verify }
        return draft.asksAddress == true ? [policy.addressToVerify] + others.filter { $0.name != "email" } : others
    }

    /// True if a person whom a provider knows may be asked for attributes.
    var asksAttributesAfterProvider: Bool {
        policy.connectors[.afterFederation] != nil && !policy.attributes.isEmpty
    }

    /// The time within which the evaluation of an answer ends.
    var evaluationTime: Duration { FlowLimits.evaluation + policy.connectors.timeBetweenSteps }

    private func unasked(_ place: Connector.Place) -> Connector? {
        state.askedConnectors?.contains(place) == true ? nil : policy.connectors[place]
    }
}

extension FlowRun {
    /// Continues with what a connector says.
    mutating func connector(_ place: Connector.Place, _ said: ConnectorFinding) -> [FlowEffect] {
        switch said {
        case .answer(.proceed(let claims)):
            state.askedConnectors = (state.askedConnectors ?? []) + [place]
            let attributes = machine.policy.attributes(from: claims, on: machine.today)
            state.draft?.attributes.merge(attributes) { $1 }
            if place == .afterFederation, !context.askedAttributes.isEmpty {
                state.draft?.awaitsAttributes = true
                state.prefill.merge(state.draft?.attributes ?? [:]) { $1 }
            }
            return advance()
        case .answer(.block(let message)):
            let effects = fail(.denied)
            state.message = message
            return effects
        case .answer(.invalid(let message)):
            return askAgain(Message(code: "connector.says", level: .error, text: message))
                ?? end(with: Refusals.turnedAway(message))
        case .failed(let refusal):
            guard let effects = askAgain(context.texts.message(.connectorFailed, .error)) else {
                return end(with: refusal)
            }
            return effects + [.refuse(refusal)]
        }
    }

    /// Asks once more for what the account is made of; nil if nobody is there to answer.
    private mutating func askAgain(_ message: Message) -> [FlowEffect]? {
        if state.draft?.identity == nil {
            state.draft = nil
            return reopen(AttributesStep(), message)
        }
        if state.askedConnectors?.contains(.afterFederation) == true, !context.askedAttributes.isEmpty {
            state.draft?.awaitsAttributes = true
            return reopen(AttributesStep(), message)
        }
        if state.isBrought == true { return nil }
        let proof = state.proofs.last
        state.path = .signIn
        state.draft = nil
        state.proofs = []
        state.askedConnectors = nil
        guard let check = proof.flatMap({ machine.catalogue[check: $0.check] }) else {
            return reopen(ProviderStep(), message)
        }
        if check.type == .assertion { return reopen(AssertionStep(), check: check.name, message) }
        state.remark = message
        return [.evaluate(.realm(.startAuthorization, check))]
    }

    private mutating func reopen(_ kind: any StepKind, check: String? = nil, _ message: Message) -> [FlowEffect] {
        record(.rejected)
        _ = open(kind, check: check, messages: [message])
        return [.answer(.rejected)]
    }
}

extension Policy {
    /// The attributes among what a connector says: those that the policy asks for or puts into tokens, in a form that it
    /// would take from a person; who somebody is only the person can prove.
    fileprivate func attributes(from claims: [String: JSONValue], on today: CalendarDay) -> [String: JSONValue] {
        claims.filter { name, value in
            guard let rule = attribute(name) ?? ownClaim(name), !rule.verify, !signInName.attributes.contains(name)
            else { return false }
            return rule.refusal(of: value, on: today) == nil
        }
    }

    private func ownClaim(_ name: String) -> AttributeRule? {
        claims.contains { $0.name == name && $0.isOpen } ? AttributeRule(name: name) : nil
    }
}
