public import FlowModel
import Moments
public import OAuth
import OpenIDClient
import Policies

/// A redirect that sends a browser to an identity provider.
public struct ProviderRedirect: Sendable {
    /// The provider's URL, with the authorization request in its query.
    public let address: String
    /// The `state` parameter of the request, which the provider's response repeats.
    public let state: Secret
    /// The id of the step that the response answers.
    public let step: String
    /// The display name of the provider.
    public let displayName: String
}

/// Browser visits to identity providers.
public struct ProviderVisits: Sendable {
    let rows: FlowRows

    private var providers: ProviderCalls? { rows.evaluator.providers }

    /// Returns the redirect to the provider that was chosen at a flow's open step, without changing the flow.
    ///
    /// Returns `nil` if no provider was chosen, or if the user must first sign in to the account in this browser.
    /// `ticket` is the browser's ticket, or `nil` if the browser is known to belong to the owner.
    ///
    /// - Throws: A `Refusal` with the reason `provider_unavailable` or `provider_protocol`.
    public func departure(
        _ id: String,
        owner: Owner,
        loaded: LoadedFlow? = nil,
        at ticket: String?
    ) async throws -> ProviderRedirect? {
        let stored = if let stored = loaded?.stored { stored } else { try await rows.load(id, owner: owner) }
        let record = stored.now
        guard let machine = stored.machine, case .asking(let step) = record.phase,
            !record.lacksProof(at: ticket), let name = record.known.provider, let providers,
            let registration = providers.registration(name),
            let request = machine.plan(record).providerRequest
        else { return nil }
        let hint: String? =
            switch record.order.requirement.user {
            case .hint(let name), .signInName(let name): name
            case .user, nil: nil
            }
        return ProviderRedirect(
            address: try await providers.address(at: name, request, loginHint: hint),
            state: Secret(request.state),
            step: record.stepID(step.ordinal),
            displayName: registration.displayName
        )
    }

    /// Returns the URL that ends a user's session at a provider, and the provider's display name.
    ///
    /// Returns `nil` if the provider has no sign-out endpoint or is no longer configured. After the sign-out, the
    /// provider redirects the browser back with `state`.
    ///
    /// - Throws: A `Refusal` with the reason `provider_unavailable` or `provider_protocol`.
    public func wayOut(of name: String, state: Secret) async throws -> (address: String, displayName: String)? {
        guard let providers, let registration = providers.registration(name),
            let address = try await providers.signOutAddress(at: name, state: state)
        else { return nil }
        return (address, registration.displayName)
    }

    /// Returns the providers that a user can choose at a flow's open step, each with its display name.
    public func providers(of flow: Flow) -> [(name: String, displayName: String)] {
        guard let step = flow.step, step.actions.contains(where: { $0.name == .choose }),
            StepChoice.all(in: step.data).isEmpty
        else { return [] }
        if step.data?["purpose"]?.string == "link", let name = step.data?["provider"]?.string {
            return providers?.registration(name).map { [(name, $0.displayName)] } ?? []
        }
        guard let id = try? PolicyID(flow.policy), let policy = rows.catalogue()[id] else { return [] }
        return policy.providers.compactMap { name in
            providers?.registration(name).map { (name, $0.displayName) }
        }
    }
}
