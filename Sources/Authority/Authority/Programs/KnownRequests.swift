import FlowModel
import Policies
import Synchronization

/// A cache of validated client credentials requests, each valid until its policy, client or settings change.
final class KnownRequests: Sendable {
    /// The maximum number of cached requests.
    static let most = 1024

    private struct Name: Hashable {
        let policy: PolicyID
        let client: String
        let scopes: [String]
        let resource: String?
    }

    private struct Known {
        let policy: Policy
        let client: OAuthClient
        let settings: AuthoritySettings
        let request: ResolvedRequest
    }

    private let known = Mutex<[Name: Known]>([:])

    func request(of call: ProgramCall, scopes: [String], resource: String?) throws(Refusal) -> ResolvedRequest {
        let settings = call.settings
        let name = Name(policy: call.policy.id, client: call.client.id, scopes: scopes, resource: resource)
        // A reload replaces every policy object, so `===` detects the reload.
        if let known = known.withLock({ $0[name] }), known.policy === call.policy, known.client == call.client,
            known.settings == settings
        {
            return known.request
        }
        let request = try call.resolve(scopes: scopes, resource: resource)
        known.withLock { known in
            if known.count >= Self.most { known = [:] }
            known[name] = Known(policy: call.policy, client: call.client, settings: settings, request: request)
        }
        return request
    }
}
