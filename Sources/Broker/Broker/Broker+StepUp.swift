import Authority
import FlowModel
import Flows
import Policies
import StoreRefusals
import TokenCache

extension Broker {
    /// Starts the flow of a policy that steps up: its checks, under the policy that the account signed in with.
    ///
    /// - Throws: `interaction_required` if nobody is signed in, `blocked`, and whatever else starting throws.
    func startStepUp(
        _ stepUp: Policy,
        _ request: StartFlowRequest,
        client: String,
        caller: Caller
    ) async throws -> Flow {
        let signOuts = try await Self.rows.storing { try cache.signOuts.generation(uid: caller.owner.cacheUID) }
        try await finishSignOuts(of: caller.owner.cacheUID)
        let account = try await chosen(request.account, caller)
        let policy = try authority.policy(usualPolicy(of: account))
        let requirement = try await authority.requirement(
            checks: stepUp.mandatoryScope,
            demand: AuthenticationDemand(acrValues: request.acrValues, maxAge: request.maxAge),
            policy: policy,
            user: UserID(oid: account.subject),
            caller
        )
        let started = try await flows.start(
            FlowRequest(
                caller: caller,
                client: client,
                policy: policy,
                requirement: requirement,
                want: Flow.Want(acrValues: request.acrValues, maxAge: request.maxAge),
                requestID: request.requestID,
                asked: request.asked,
                prefill: request.input
            )
        )
        if let flow = try await completed(started, caller, signOuts: signOuts) { return flow }
        return try await shown(started.flow, client: client, request.mode, caller)
    }
}
