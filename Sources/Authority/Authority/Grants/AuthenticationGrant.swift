import AuthorityStore
import FlowModel
import Foundation
import OAuth
import Policies
import Storage

/// The grant of a finished flow.
///
/// Its authentication is bound to the pending request and can be used only once.
///
/// This grant does not check that required consent was given. The flow checks that (`ConsentStep` in `Flows`).
/// ``AuthorizationDecision`` creates both the request and its flow's requirement. A flow writes an authentication only
/// after it has met the whole requirement. If the user withdraws a consent, an authentication that has not been used
/// yet is deleted.
struct AuthenticationGrant: ProvedGrant {
    static let name = "authentication"
    static let event = AuditKind.tokenIssued

    /// The pending request's id.
    let pending: String

    /// The id of the session that the flow created, or `nil` if it created none or the caller does not know the id.
    var sessionID: String?

    /// The authentication that the flow is about to write for the request, or `nil` if it is already written.
    var expected: Authentication?

    func basis(_ context: GrantContext) async throws -> (GrantDecision, Void) {
        let met = try await met(context)
        let authentication = met.authentication
        let request = try Self.request(met.request.body)
        let policy = try PolicyCheck.policy(request.policy.description, in: context.catalogue)
        let client = try ClientCheck.client(request.client, clients: context.snapshot.clients)
        // The flow knows the requirement, but only this code decides whether the requirement is met.
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

    /// The code is derived, so every call returns the same code.
    ///
    /// If the flow's last answer is repeated, it gets the same response.
    func code(_ context: GrantContext) -> Secret {
        OpaqueCode.derived(from: pending, key: context.store.derived.formKey)
    }

    func consented(_ basis: GrantDecision) -> [String] {
        basis.authentication.consented ? basis.request.consentScopes(basis.client) : []
    }
}
