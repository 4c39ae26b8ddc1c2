import AuthorityStore
import FlowModel
import Foundation
import OAuth
import Policies
import Storage

/// The grant that is based on a finished flow, usable once and only for the request that the flow was started for.
///
/// Consent is not checked, because a flow stores an authentication only after the user has consented, and withdrawing
/// consent deletes the authentication.
struct AuthenticationGrant: ProvedGrant {
    static let name = "authentication"
    static let event = AuditKind.tokenIssued

    let pending: String

    /// The id of the session that the flow created, or `nil` if the flow created no session or the id is unknown.
    var sessionID: String?

    /// The authentication that the flow is about to store, or `nil` if the authentication is already stored.
    var expected: Authentication?

    func basis(_ context: GrantContext) async throws -> (GrantDecision, Void) {
        let met = try await met(context)
        let authentication = met.authentication
        let request = try Self.request(met.request.body)
        let policy = try PolicyCheck.policy(request.policy.description, in: context.catalogue)
        let client = try ClientCheck.client(request.client, clients: context.snapshot.clients)
        // Only this code, not the flow, decides whether the user's authentication is sufficient.
        let proved = ProvedSession(authentication, policy: met.request.policy, client: met.request.client)
        let asked = RequestContext(request: request, policy: policy, catalogue: context.catalogue)
        guard proved.meets(asked, at: context.now) else {
            throw Refusal(.unmetAuthenticationRequirements, Text("refusal.provedTooLittle"))
        }
        return (GrantDecision(request: request, authentication: authentication, policy: policy, client: client), ())
    }

    private func met(_ context: GrantContext) async throws -> MetRequest {
        let (requests, owner) = (context.store.requests, context.caller.owner)
        guard let expected else { return try await requests.peek(pending, owner: owner) }
        return MetRequest(request: try await requests.waiting(pending, owner: owner), authentication: expected)
    }

    private static func request(_ body: Data) throws(Refusal) -> ResolvedRequest {
        do {
            return try JSONDecoder().decode(ResolvedRequest.self, from: body)
        } catch {
            throw Refusal(.storageFailed, Text("refusal.requestNotRead")).because("\(error)")
        }
    }

    func proof(_ source: Void, _ context: GrantContext) -> Issue.Source { .authentication(requestID: pending) }

    /// Returns a code derived from the pending request's id.
    ///
    /// If the user submits the flow's last answer again, the client therefore receives the same code.
    func code(_ context: GrantContext) -> Secret {
        OpaqueCode.derived(from: pending, key: context.store.derived.formKey)
    }

    func consented(_ basis: GrantDecision) -> [String] {
        basis.authentication.consented ? basis.request.consentScopes(basis.client) : []
    }
}
