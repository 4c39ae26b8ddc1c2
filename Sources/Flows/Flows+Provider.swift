public import FlowModel
import Moments
public import OAuth
import OpenIDClient
import Policies

/// A browser's way to a provider outside.
public struct Departure: Sendable {
    /// The address of the provider, with the request.
    public let address: String
    /// The value that the answer brings back.
    public let state: Secret
    /// The step that the answer is for.
    public let step: String
    /// The provider's name for people.
    public let displayName: String
}

extension Flows {
    /// The way to the provider that the open step of a flow has chosen; changes nothing.
    ///
    /// - Parameters:
    ///   - id: The flow.
    ///   - owner: Its owner.
    /// - Returns: Nil if the open step has chosen none.
    /// - Throws: `Refusal`: `provider_unavailable` or `provider_protocol` if its address cannot be found out.
    public func departure(_ id: String, owner: Owner) async throws -> Departure? {
        let stored = try await load(id, owner: owner)
        let state = stored.now(clock.now)
        guard let machine = stored.machine, !state.isTerminal, state.evaluating == nil, let step = state.step,
            let name = state.provider, let providers, let registration = providers.registration(name)
        else { return nil }
        let context = machine.context(state)
        guard let request = context.providerRequest else { return nil }
        let hint: String? =
            switch state.requirement.user {
            case .hint(let name), .signInName(let name): name
            case .user, nil: nil
            }
        return Departure(
            address: try await providers.address(at: name, request, loginHint: hint),
            state: Secret(request.state),
            step: context.stepID(step.ordinal),
            displayName: registration.displayName
        )
    }

    /// The providers that a person may choose at the open step of a flow, each with its name for people.
    public func providers(of flow: Flow) -> [(name: String, displayName: String)] {
        guard let step = flow.step, step.data?["choices"] == nil, step.actions.contains(where: { $0.name == .choose })
        else { return [] }
        guard let id = try? PolicyID(flow.policy), let policy = catalogue()[id] else { return [] }
        return policy.providers.compactMap { name in
            providers?.registration(name).map { (name, $0.displayName) }
        }
    }

    private var providers: ProviderCalls? { effects.providers }
}
