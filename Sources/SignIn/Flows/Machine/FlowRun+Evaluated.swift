import FlowModel
import Foundation
import Moments
import OAuth
import Policies

extension FlowRun {
    mutating func evaluated(_ result: EvaluationResult) {
        guard case .evaluating(let claim, let step) = record.phase else {
            return refuse(Refusals.flowFinished(record.state))
        }
        switch result {
        case .refused(let refusal):
            record.history.submissions.removeAll { $0.id == claim.submission }
            record.history.revision += 1
            if let step {
                record.phase = .asking(step)
                step.kind.interrupted(&record)
            }
            if refusal.reason == .blocked { audit(.signInBlocked, Self.facts(step)) }
            refuse(refusal)
        case .wrong: wrong(step)
        case .exhausted(let retryAfterMs):
            audit(.signInFailed, Self.facts(step))
            let tries = step.flatMap(machine.check).map(plan.tries(of:)) ?? .proof
            fail(.blocked, usedUp: tries, retryAfterMs: retryAfterMs)
        case .right(let person, let names):
            guard let step else { return fail(.internal) }
            step.kind.proved(person, names: names, &self)
        case .consent(let isGiven):
            record.known.hasConsentedBefore = isGiven
            advance()
        case .enrolled(let isEnrolled): found(isEnrolled)
        case .secondFactor(let choice, let others): asks(choice, others)
        case .profile(let attributes):
            record.inHand.profile = attributes
            advance()
        case .hashed(let hash):
            guard let step else { return fail(.internal) }
            step.kind.hashed(hash, &self)
        case .addressAccepted: advance()
        case .codeMade(let made): CodeStep().send(made, &self)
        case .identified(let identity, let person, let names):
            ProviderStep().identified(identity, person, names: names, &self)
        case .realm(let found, let check): ExternalStep().said(found, check, &self)
        case .connector(let place, let said): Connectors.continue(place, said, &self)
        }
    }

    private mutating func wrong(_ step: OpenStep?) {
        // Callers can send any number of wrong tokens, so the flow fails with a `flow.failed` event, which has an audit
        // budget, unlike `signin.failed`.
        if record.order.bringsToken, step?.kind.type == .provider { return fail(with: Refusals.tokenNotOurs) }
        guard let step else { return fail(.internal) }
        record.settle(.rejected)
        let message = view.texts.message(step.kind.texts.wrong, .error, node: step.kind.texts.wrongNode)
        reopen(step, ends: step.kind.ends(after: step, self).earlier(record.order.ends), message: message)
        audit(.signInFailed, Self.facts(step))
        answer(.rejected)
    }

    private mutating func found(_ isEnrolled: Bool) {
        guard let check = plan.nextCheck else { return fail(.internal) }
        // In a flow that enrols this credential, the user can replace the credential that is already enrolled.
        let isKept = isEnrolled && record.order.requirement.change != .enrol(check: check.name)
        record.known.enrolled[check.credential] = isKept
        advance()
    }

    private mutating func asks(_ choice: SecondFactorChoice, _ others: [String]) {
        record.known.secondFactor = choice
        record.known.otherFactors = others
        switch choice {
        case .check: break
        case .knownDevice:
            let device = Credential.device
            record.known.proofs.append(
                Proof(check: device.rawValue, credential: device, at: now.wall, acr: "0", amr: [])
            )
        }
        advance()
    }

    private static func facts(_ step: OpenStep?) -> [String: String] {
        var facts: [String: String] = [:]
        if let step { facts["step"] = step.kind.type.rawValue }
        if let check = step?.check { facts["check"] = check }
        return facts
    }

    mutating func nameTaken() {
        guard !record.isEnded else { return }
        if Linking.isOpen(record) { return Linking.refuse(.linkedMeanwhile, &self) }
        // Another flow has just created an account for the same user. Signing in again finds that account.
        if record.inHand.draft?.identity != nil || record.inHand.newIdentity != nil { return fail(.denied) }
        record.inHand.draft = nil
        record.inHand.code = nil
        record.known.forgetAuthentication()
        record.known.askedConnectors = []
        record.known.provenAddress = nil
        record.settle(.rejected)
        let name = machine.policy.signInName.attributes.first
        open(AttributesStep(), messages: [view.texts.message(.nameTaken, .error, node: name)])
        audit(.signUpRefused, ["reason": "name.taken"])
        answer(.rejected)
    }
}
