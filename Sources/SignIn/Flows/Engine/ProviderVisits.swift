public import FlowModel
import Moments
public import OAuth
import OpenIDClient
import Policies

/// A browser's way to a provider outside.
public struct ProviderRedirect: Sendable {
    /// The address of the provider, with the request.
    public let address: String
    /// The value that the answer brings back.
    public let state: Secret
    /// The step that the answer is for.
    public let step: String
    /// The provider's name for people.
    public let displayName: String
}

/// The ways of browsers to providers outside, and back.
public struct ProviderVisits: Sendable {
    let rows: FlowRows

    private var providers: ProviderCalls? { rows.evaluator.providers }

    /// The way to the provider that the open step of a flow has chosen; changes nothing.
    ///
    /// - Parameters:
    ///   - id: The flow.
    ///   - owner: Its owner.
    ///   - loaded: The same, if it was loaded just now.
    ///   - ticket: The ticket of the browser; nil for one that is known to be the owner's.
    /// - Returns: Nil if the open step has chosen none, or if this browser has to prove the account first.
    /// - Throws: `Refusal`: `provider_unavailable` or `provider_protocol` if its address cannot be found out.
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

    /// The way to the place at which a person's session at a provider ends.
    ///
    /// - Parameters:
    ///   - name: The provider.
    ///   - state: The value that the browser brings back from there.
    /// - Returns: The address, and the provider's name for people; nil if it has no such place, or is not configured any more.
    /// - Throws: `Refusal`: `provider_unavailable` or `provider_protocol` if the address cannot be found out.
    public func wayOut(of name: String, state: Secret) async throws -> (address: String, displayName: String)? {
        guard let providers, let registration = providers.registration(name),
            let address = try await providers.signOutAddress(at: name, state: state)
        else { return nil }
        return (address, registration.displayName)
    }

    /// The providers that a person may choose at the open step of a flow, each with its name for people.
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
