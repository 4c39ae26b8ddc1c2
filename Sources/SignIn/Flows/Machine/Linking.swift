import FlowModel
import OAuth
import OpenIDClient
import Policies

/// The turns of a flow that links an account at a provider to the person's.
enum Linking {
    /// Whether the open step is the way to the provider whose account is linked: whoever links is known by then.
    static func isOpen(_ record: FlowRecord) -> Bool {
        guard case .link? = record.order.requirement.change else { return false }
        return record.known.person != nil
    }

    /// Continues with the account at a provider that the person has signed in to, which becomes theirs unless it is
    /// somebody's: no account is ever found, or taken over, by anything but issuer and subject.
    static func link(_ identity: ProviderIdentity, of person: ProvenPerson?, _ run: inout FlowRun) {
        guard let person else {
            run.record.inHand.newIdentity = identity
            return run.advance()
        }
        refuse(person.user == run.record.known.person?.user ? .linkedBefore : .linkedElsewhere, &run)
    }

    /// Asks for the account's proof from the beginning.
    static func proveAgain(_ run: inout FlowRun) {
        guard !run.record.isEnded else { return }
        run.record.known.person = nil
        run.record.known.provider = nil
        run.record.known.forgetAuthentication()
        // What was set by whoever answered before is not set by whoever answers now.
        run.record.inHand.code = nil
        run.record.inHand.secrets = [:]
        run.record.inHand.edited = nil
        run.record.inHand.newIdentity = nil
        run.record.history.answeredAt = nil
        run.record.phase = .evaluating(run.machine.claim("", now: run.now), over: nil)
        run.advance()
        if run.record.isEvaluating { run.record.history.revision += 1 }
    }

    /// Ends a flow that links nothing, and says why.
    static func refuse(_ reason: TextKey, _ run: inout FlowRun) {
        let name = run.record.known.provider ?? ""
        run.fail(.denied, message: run.view.texts[reason, ["name": name]])
    }
}

extension FlowRecord {
    /// Whether a browser may not go on to link an account, because others have answered for it.
    ///
    /// Its person would link theirs to an account that somebody else has proved.
    ///
    /// - Parameter ticket: The ticket of the browser; nil for one that is known to be the owner's.
    /// - Returns: True if the proof is to be asked for again.
    func lacksProof(at ticket: String?) -> Bool {
        guard let ticket, Linking.isOpen(self) else { return false }
        return history.answeredAt != [ticket]
    }

    /// Notes where an answer was given, in a flow that links.
    mutating func note(answerAt ticket: String?) {
        guard case .link? = order.requirement.change else { return }
        history.answeredAt = (history.answeredAt ?? []).union([ticket ?? ""])
    }
}

extension FlowPlan {
    /// The provider that the person goes to next, to link the account there; nil before everything is proved, and after it.
    var providerToLink: String? {
        guard case .link(let provider)? = order.requirement.change, known.person != nil,
            record.inHand.newIdentity == nil, nextCheck == nil
        else { return nil }
        return provider
    }
}
