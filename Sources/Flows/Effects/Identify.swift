import AuthorityStore
import FlowModel
import OpenIDClient

/// Redeems a provider's answer, and looks up the account of the person that it proves: that of the same issuer and
/// subject, and of nobody else, whatever their e-mail addresses are.
struct Identify {
    let effects: Effects

    func run(_ provider: String, _ request: ProviderRequest, _ answer: ProviderAnswer) async throws -> Evaluated {
        try await found { try await $0.identity(at: provider, request, answer) }
    }

    /// Verifies a provider's own token, and looks up the person that it proves.
    func run(_ provider: String, brought token: BroughtToken) async throws -> Evaluated {
        try await found { try await $0.identity(at: provider, brought: token) }
    }

    private func found(_ identify: (ProviderCalls) async throws -> ProviderIdentity) async throws -> Evaluated {
        guard let providers = effects.providers else { throw Refusals.noProvider }
        let identity: ProviderIdentity
        do {
            identity = try await identify(providers)
        } catch let error as ProviderError where error.code == .denied {
            return Evaluated(finding: .wrong)
        }
        let user = try await effects.store.identities.user(issuer: identity.issuer, subject: identity.subject)
        guard let user else { return Evaluated(finding: .identified(identity, nil, names: [])) }
        guard user.enabled else { return Evaluated(finding: .wrong) }
        return Evaluated(
            finding: .identified(identity, ProvenPerson(user), names: user.signInNames.map(\.value))
        )
    }
}
