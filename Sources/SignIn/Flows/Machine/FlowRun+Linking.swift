import FlowModel
import OAuth
import OpenIDClient
import Policies

extension FlowRunState {
    /// True while the open step is the way to the provider whose account is linked: whoever links is known by then.
    var isLinking: Bool {
        guard case .link? = requirement.change else { return false }
        return person != nil
    }
}

extension FlowRunState {
    /// True while a browser may not go on to link an account, because others have answered for it.
    ///
    /// Its person would link theirs to an account that somebody else has proved.
    ///
    /// - Parameter ticket: The ticket of the browser; nil for one that is known to be the owner's.
    /// - Returns: True if the proof is to be asked for again.
    func lacksProof(at ticket: String?) -> Bool {
        guard let ticket, isLinking else { return false }
        return answeredAt != [ticket]
    }

    /// Notes where an answer was given, in a flow that links.
    mutating func note(answerAt ticket: String?) {
        guard case .link? = requirement.change else { return }
        answeredAt = (answeredAt ?? []).union([ticket ?? ""])
    }
}

extension FlowContext {
    /// The provider that the person goes to next, to link the account there; nil before everything is proved, and after it.
    var providerToLink: String? {
        guard case .link(let provider)? = state.requirement.change, state.person != nil, state.newIdentity == nil,
            nextCheck == nil
        else { return nil }
        return provider
    }
}

extension FlowRun {
    /// Continues with the account at a provider that the person has signed in to, which becomes theirs unless it is
    /// somebody's: no account is ever found, or taken over, by anything but issuer and subject.
    mutating func link(_ identity: ProviderIdentity, of person: ProvenPerson?) -> [FlowEffect] {
        guard let person else {
            state.newIdentity = identity
            return advance()
        }
        return refuse(link: person.user == state.person?.user ? .linkedBefore : .linkedElsewhere)
    }

    /// Asks for the account's proof from the beginning.
    mutating func proveAgain() -> [FlowEffect] {
        state.person = nil
        state.provider = nil
        state.code = nil
        state.proofs = []
        state.answeredAt = nil
        state.hasPIN = nil
        state.hasAuthenticator = nil
        state.secondFactor = nil
        state.otherFactors = nil
        state.step = nil
        let effects = advance()
        claimFirst()
        if state.evaluating != nil {
            state.state = .pending
            state.rev += 1
        }
        return effects
    }

    /// Ends a flow that links nothing, and says why.
    mutating func refuse(link reason: TextKey) -> [FlowEffect] {
        let message = context.texts[reason, ["name": state.provider ?? ""]]
        let effects = fail(.denied)
        state.message = message
        return effects
    }
}

extension FinishPlan {
    /// The events of the accounts at providers that it links or takes away.
    var links: [FlowEffect] {
        var links: [FlowEffect] = []
        if isLink, let identity { links.append(Self.link(.credentialEnrolled, identity.provider)) }
        if let unlinked { links.append(Self.link(.credentialRemoved, unlinked)) }
        return links
    }

    private static func link(_ kind: AuditKind, _ provider: String) -> FlowEffect {
        .audit(kind, ["credential": Credential.federated.rawValue, "provider": provider])
    }
}
