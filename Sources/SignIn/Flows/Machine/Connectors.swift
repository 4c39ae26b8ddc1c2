import CustomIdentity
import FlowModel
import Foundation
import Moments
import OAuth
import Policies

/// The rules for how a flow continues after one of its policy's API connectors has responded.
enum Connectors {
    static func `continue`(_ place: Connector.Place, _ said: ConnectorFinding, _ run: inout FlowRun) {
        switch said {
        case .answer(.proceed(let claims)): proceed(place, with: claims, &run)
        case .answer(.block(let message)): run.fail(.denied, message: message)
        case .answer(.invalid(let message)):
            if !askAgain(Message(code: "connector.says", level: .error, text: message), &run) {
                run.fail(with: Refusals.turnedAway(message))
            }
        case .failed(let refusal):
            if askAgain(run.view.texts.message(.connectorFailed, .error), &run) {
                run.refuse(refusal)
            } else {
                run.fail(with: refusal)
            }
        }
    }

    private static func proceed(_ place: Connector.Place, with claims: [String: JSONValue], _ run: inout FlowRun) {
        run.record.known.askedConnectors.append(place)
        let attributes = run.machine.policy.attributes(from: claims, on: run.machine.today)
        run.record.inHand.draft?.attributes.merge(attributes) { $1 }
        if place == .afterFederation, !run.plan.askedAttributes.isEmpty {
            run.record.inHand.draft?.awaitsAttributes = true
            run.record.inHand.prefill.merge(run.record.inHand.draft?.attributes ?? [:]) { $1 }
        }
        run.advance()
    }

    /// Prompts again for the new account's data and shows `message`, or returns `false` if a new prompt is impossible.
    private static func askAgain(_ message: Message, _ run: inout FlowRun) -> Bool {
        if run.record.inHand.draft?.identity == nil {
            run.record.inHand.draft = nil
            reopen(AttributesStep(), message, &run)
            return true
        }
        if run.record.known.askedConnectors.contains(.afterFederation), !run.plan.askedAttributes.isEmpty {
            run.record.inHand.draft?.awaitsAttributes = true
            reopen(AttributesStep(), message, &run)
            return true
        }
        if run.record.order.bringsToken { return false }
        let proof = run.record.known.proofs.last
        run.record.known.path = .signIn
        run.record.inHand.draft = nil
        run.record.known.proofs = []
        run.record.known.askedConnectors = []
        guard let check = proof.flatMap({ run.machine.catalogue[check: $0.check] }) else {
            reopen(ProviderStep(), message, &run)
            return true
        }
        switch check.type {
        case .assertion: reopen(AssertionStep(), check: check.name, message, &run)
        case .customIdentityProvider:
            run.record.inHand.remark = message
            run.evaluate(.realm(.startAuthorization, check))
        default: reopen(ProviderStep(), message, &run)
        }
        return true
    }

    private static func reopen(
        _ kind: any StepKind,
        check: String? = nil,
        _ message: Message,
        _ run: inout FlowRun
    ) {
        run.record.settle(.rejected)
        run.open(kind, check: check, messages: [message])
        run.answer(.rejected)
    }
}

extension FlowPlan {
    var dueConnector: Connector? {
        guard known.path == .signUp, let draft = record.inHand.draft else { return nil }
        if draft.identity != nil, let connector = unasked(.afterFederation) { return connector }
        return draft.mustVerify || draft.awaitsAttributes ? nil : unasked(.beforeUserCreated)
    }

    /// The attributes that a new user is prompted for, without the sign-in name if the user signs up through a
    /// provider.
    var askedAttributes: [AttributeRule] {
        guard let draft = record.inHand.draft, draft.identity != nil else { return policy.attributes }
        let others =
            policy.connectors[.afterFederation] == nil
            ? [] : policy.attributes.filter { !policy.signInName.attributes.contains($0.name) && !$0.verify }
        return draft.asksAddress ? [policy.addressToVerify] + others.filter { $0.name != "email" } : others
    }

    var asksAttributesAfterProvider: Bool {
        policy.connectors[.afterFederation] != nil && !policy.attributes.isEmpty
    }

    private func unasked(_ place: Connector.Place) -> Connector? {
        known.askedConnectors.contains(place) ? nil : policy.connectors[place]
    }
}

extension Policy {
    var evaluationTime: Duration { FlowLimits.evaluation + connectors.timeBetweenSteps }

    /// Returns the connector's claims that the policy uses and accepts, except those that only the user can prove.
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
