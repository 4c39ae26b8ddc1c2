import Moments
import OAuth
import Policies

/// The client is named, and proves who it is in one way that it is registered for (RFC 6749 §2.3, RFC 7523 §3).
struct ClientProofCheck: ProgramCheck {
    func apply(to draft: inout ProgramDraft) async throws {
        guard let policy = draft.policy else {
            throw OAuthError.serverError(detail: "the policy is looked up before the client")
        }
        let authority = draft.authority
        let endpoint = draft.endpoint
        draft.client = try await ClientAuthenticator(
            store: authority.store,
            failures: authority.clientFailures,
            now: authority.clock.now
        ).client(draft.request, among: try await authority.memory.snapshot().clients) {
            let settings = authority.settings()
            let root = settings.root(of: policy.id)
            // RFC 7523 §3: the token endpoint's address may name the authority at its other endpoints too.
            return [settings.issuer(of: policy.id), root + AuthorityEndpoint.token.path, root + endpoint.path]
        }
    }
}
