import AuthorityStore
import FlowModel
import Foundation
import OAuth
import Policies
import Storage

/// The grant of a finished flow: its authentication is bound to the pending request and good for one use.
///
/// This grant does not check that a required consent was given: that is the flow's rule (`ConsentStep` of `Flows`). A request
/// and the requirement of its flow come from one decision, ``AuthorizationDecision``, and only a flow that has met the whole
/// requirement writes an authentication. The person's withdrawal of a consent deletes an authentication that was not used yet.
struct AuthenticationGrant: ProvedGrant {
    static let name = "authentication"
    static let event = AuditKind.tokenIssued

    /// The pending request's id.
    let pending: String

    /// The session that the flow has left, if it left one and the caller knows it.
    var sessionID: String?

    /// The authentication that the flow is about to write for the request; nil once it is written.
    var expected: Authentication?

    func basis(_ context: GrantContext) async throws -> (GrantDecision, Void) {
        let met = try await met(context)
        let authentication = met.authentication
        let request = try Self.request(met.request.body)
        let policy = try PolicyCheck.policy(request.policy.description, in: context.catalogue)
        let client = try ClientCheck.client(request.client, clients: context.snapshot.clients)
        // The flow knows the requirement; that it is met is decided here, and only here.
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

    /// The same at every call, so that a repeated last answer of a person is answered as before.
    func code(_ context: GrantContext) -> Secret {
        OpaqueCode.derived(from: pending, key: context.store.derived.formKey)
    }

    func consented(_ basis: GrantDecision) -> [String] {
        basis.authentication.consented ? basis.request.consentScopes(basis.client) : []
    }
}
