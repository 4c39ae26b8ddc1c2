import Attempts
import AuthorityStore
import FlowModel
import Moments
import OpenIDClient

/// Redeems a provider's answer, and looks up the account of the person that it proves: that of the same issuer and
/// subject, and of nobody else, whatever their e-mail addresses are.
struct Identify {
    let effects: Effects

    func run(_ provider: String, _ request: ProviderRequest, _ answer: ProviderAnswer) async throws -> EvaluationOutcome
    {
        try await found { try await $0.identity(at: provider, request, answer) }
    }

    /// Verifies a provider's own token, and looks up the person that it proves.
    ///
    /// It is charged to the uid that brings it before the provider is asked, and given back unless the token is refused. A token
    /// that a client exchanges over HTTP is one of those that its place may begin in a minute.
    func run(_ provider: String, brought token: BroughtToken, _ state: FlowRunState) async throws -> EvaluationOutcome {
        let fresh = state.requirement.maxAge.map { FreshProof(maxAge: $0, since: effects.clock.now.seconds) }
        switch state.owner {
        case .browser: return try await found { try await $0.identity(at: provider, brought: token, fresh: fresh) }
        case .local: break
        }
        let (origin, subject) = (state.origin, Subject.name("brought tokens \(state.origin.key)"))
        let ticket = try await effects.attempts.charge(check: .broughtTokens, subject: subject, origin: origin)
        do {
            var evaluated = try await found { try await $0.identity(at: provider, brought: token, fresh: fresh) }
            if evaluated.finding != .wrong { evaluated.settled = ticket.settled }
            return evaluated
        } catch {
            try await effects.attempts.giveBack(ticket, check: .broughtTokens, subject: subject, origin: origin)
            throw error
        }
    }

    private func found(_ identify: (ProviderCalls) async throws -> ProviderIdentity) async throws -> EvaluationOutcome {
        guard let providers = effects.providers else { throw Refusals.noProvider }
        let identity: ProviderIdentity
        do {
            identity = try await identify(providers)
        } catch let error as ProviderError where error.code == .denied {
            return EvaluationOutcome(finding: .wrong)
        }
        let user = try await effects.store.identities.user(issuer: identity.issuer, subject: identity.subject)
        guard let user else { return EvaluationOutcome(finding: .identified(identity, nil, names: [])) }
        guard user.enabled else { return EvaluationOutcome(finding: .wrong) }
        return EvaluationOutcome(
            finding: .identified(identity, ProvenPerson(user), names: user.signInNames.map(\.value))
        )
    }
}
