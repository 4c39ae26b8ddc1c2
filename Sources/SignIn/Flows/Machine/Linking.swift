import FlowModel
import OAuth
import OpenIDClient
import Policies

/// How a flow links a user's account at a provider.
enum Linking {
    /// Whether the open step sends the user to the provider whose account is to be linked.
    ///
    /// By then, the user is already identified.
    static func isOpen(_ record: FlowRecord) -> Bool {
        guard case .link? = record.order.requirement.change else { return false }
        return record.known.person != nil
    }

    /// Continues after the user has signed in at the provider, and links that account unless it is already linked.
    ///
    /// Only the issuer and subject identify an account.
    static func link(_ identity: ProviderIdentity, of person: ProvenPerson?, _ run: inout FlowRun) {
        guard let person else {
            run.record.inHand.newIdentity = identity
            return run.advance()
        }
        refuse(person.user == run.record.known.person?.user ? .linkedBefore : .linkedElsewhere, &run)
    }

    /// Requires the user to authenticate again from the beginning.
    static func proveAgain(_ run: inout FlowRun) {
        guard !run.record.isEnded else { return }
        run.record.known.person = nil
        run.record.known.provider = nil
        run.record.known.forgetAuthentication()
        // Data that an earlier caller has set must not carry over to the current caller.
        run.record.inHand.code = nil
        run.record.inHand.secrets = [:]
        run.record.inHand.edited = nil
        run.record.inHand.newIdentity = nil
        run.record.history.answeredAt = nil
        run.record.phase = .evaluating(run.machine.claim("", now: run.now), over: nil)
        run.advance()
        if run.record.isEvaluating { run.record.history.revision += 1 }
    }

    /// Ends the flow without linking an account, and reports the reason.
    static func refuse(_ reason: TextKey, _ run: inout FlowRun) {
        let name = run.record.known.provider ?? ""
        run.fail(.denied, message: run.view.texts[reason, ["name": name]])
    }
}

extension FlowRecord {
    /// Whether a browser must not continue to link an account, because some answers came from other callers.
    ///
    /// Otherwise, the browser's user could link an account at the provider to another user's account.
    ///
    /// - Parameter ticket: The ticket of the browser, or `nil` if the browser is known to belong to the owner.
    /// - Returns: Whether the user must authenticate again.
    func lacksProof(at ticket: String?) -> Bool {
        guard let ticket, Linking.isOpen(self) else { return false }
        return history.answeredAt != [ticket]
    }

    /// Records the ticket under which an answer was submitted, in a linking flow.
    mutating func note(answerAt ticket: String?) {
        guard case .link? = order.requirement.change else { return }
        history.answeredAt = (history.answeredAt ?? []).union([ticket ?? ""])
    }
}

extension FlowPlan {
    /// The provider at which the user must now sign in to link the account.
    ///
    /// `nil` before all checks are passed, after the account is known, and in other flows.
    var providerToLink: String? {
        guard case .link(let provider)? = order.requirement.change, known.person != nil,
            record.inHand.newIdentity == nil, nextCheck == nil
        else { return nil }
        return provider
    }
}
