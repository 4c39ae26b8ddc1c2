import AuthorityStore
import FlowModel
import Foundation
import Policies
import Storage

/// The grant of a finished flow: its authentication is bound to the pending request and good for one use.
struct AuthenticationGrant: Grant {
    static let wireName: String? = nil
    static let name = "authentication"
    static let event = AuditKind.tokenIssued

    /// The pending request's id.
    let pending: String

    func basis(_ context: GrantContext) async throws -> (GrantBasis, Void) {
        let met = try await context.store.requests.peek(pending, owner: context.caller.owner)
        let authentication = met.authentication
        let request = try Self.request(met.request.body)
        let policy = try PolicyCheck.policy(
            request.policy.description,
            settings: context.settings,
            catalogue: context.catalogue
        )
        let client = try ClientCheck.client(request.client, clients: context.snapshot.clients)
        // The flow knows the requirement; that it is met is decided here, and only here.
        let isMet = AuthorizationEndpoint.isMet(
            [SignInProofCheck(), ScopeProofCheck(), ReachedContextCheck()],
            by: ProvedSession(authentication, policy: met.request.policy, client: met.request.client),
            RequestBasis(request: request, policy: policy, catalogue: context.catalogue),
            at: context.now
        )
        guard isMet else {
            throw Refusal(
                .unmetAuthenticationRequirements,
                "what was proved is not enough for what was asked; ask again"
            )
        }
        return (GrantBasis(request: request, authentication: authentication, policy: policy, client: client), ())
    }

    private static func request(_ body: Data) throws(Refusal) -> ResolvedRequest {
        do {
            return try JSONDecoder().decode(ResolvedRequest.self, from: body)
        } catch {
            throw Refusal(.storageFailed, "a request that was kept could not be read").because("\(error)")
        }
    }

    func record(
        _ basis: GrantBasis,
        _ source: Void,
        event: AuditEvent,
        _ context: GrantContext
    ) async throws -> FamilyRow {
        let family = try await basis.family(context, session: nil)
        try await context.store.grants.issue(
            Issue(
                source: .authentication(requestID: pending),
                owner: context.caller.owner,
                user: basis.authentication.user,
                expectedEpoch: context.snapshot.epoch,
                family: family,
                consented: basis.authentication.consented ? basis.request.grantedScopes : [],
                events: [event]
            )
        )
        return family
    }
}
