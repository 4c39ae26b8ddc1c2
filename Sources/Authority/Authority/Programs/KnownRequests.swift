import FlowModel
import Policies
import Synchronization

/// Requests of clients for themselves that were completed before: a service asks for the same token again and again.
///
/// A request counts for the policy, the client and the settings that it was completed by, and no others.
final class KnownRequests: Sendable {
    /// The most requests that are remembered; beyond it, all are forgotten.
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

    /// The request that scopes and a resource make for a client.
    ///
    /// - Parameters:
    ///   - call: The call of the client.
    ///   - scopes: The scopes, as they were spelled.
    ///   - resource: The resource.
    /// - Returns: The request, completed with what is left to the policy.
    /// - Throws: `Refusal`.
    func request(of call: ProgramCall, scopes: [String], resource: String?) throws(Refusal) -> ResolvedRequest {
        let settings = call.settings
        let name = Name(policy: call.policy.id, client: call.client.id, scopes: scopes, resource: resource)
        // A reload reads every policy anew, with the checks that it names. What shares its storage is compared at once.
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
