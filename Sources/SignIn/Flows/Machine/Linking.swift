import FlowModel
import OAuth
import OpenIDClient
import Policies

enum Linking {
    /// Whether the flow links an account at a provider and has already identified the user.
    static func isOpen(_ record: FlowRecord) -> Bool {
        guard case .link? = record.order.requirement.change else { return false }
        return record.known.person != nil
    }

    /// Links the account with which the user has signed in at the provider, unless it is already linked.
    static func link(_ identity: ProviderIdentity, of person: ProvenPerson?, _ run: inout FlowRun) {
        guard let person else {
            run.record.inHand.newIdentity = identity
            return run.advance()
        }
        refuse(person.user == run.record.known.person?.user ? .linkedBefore : .linkedElsewhere, &run)
    }

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

    static func refuse(_ reason: TextKey, _ run: inout FlowRun) {
        let name = run.record.known.provider ?? ""
        run.fail(.denied, message: run.view.texts[reason, ["name": name]])
    }
}

extension FlowRecord {
    /// Whether a user who links an account must authenticate again, because some answers came from other callers.
    ///
    /// `ticket` is `nil` if the browser is known to belong to the owner.
    func lacksProof(at ticket: String?) -> Bool {
        guard let ticket, Linking.isOpen(self) else { return false }
        return history.answeredAt != [ticket]
    }

    /// Records which browser submitted an answer, if the flow links an account.
    ///
    /// `ticket` is the browser's ticket, or `nil` for an answer over the socket.
    mutating func note(answerAt ticket: String?) {
        guard case .link? = order.requirement.change else { return }
        history.answeredAt = (history.answeredAt ?? []).union([ticket ?? ""])
    }
}

extension FlowPlan {
    /// The provider at which the user must now sign in to link the account, or `nil` if no such sign-in is due.
    var providerToLink: String? {
        guard case .link(let provider)? = order.requirement.change, known.person != nil,
            record.inHand.newIdentity == nil, nextCheck == nil
        else { return nil }
        return provider
    }
}
