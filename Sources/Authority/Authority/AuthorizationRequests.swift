import AuthorityStore
public import FlowModel
import Moments
public import OAuth
public import Policies
import StoreRefusals

/// The requests at the authorization endpoint and at the end session endpoint, as they are parsed.
public struct AuthorizationRequests: Sendable {
    let authority: Authority

    /// The parameters of an authorization request: those of the pushed request that it names, which nobody can take
    /// again (RFC 9126 §4), else its own.
    ///
    /// - Throws: ``AuthorizationRefusal/page(_:)`` if it names a pushed request that is not there; `Refusal` if the store
    ///   fails.
    public func parameters(_ form: Form, policy: PolicyID) async throws -> Form {
        try await Authority.rows.storing { try await withPushed(form, policy: policy) }
    }

    /// Checks the parameters of an authorization request.
    ///
    /// - Parameters:
    ///   - form: The parameters, as ``parameters(_:policy:)`` gives them.
    ///   - policy: The policy whose endpoint was asked.
    /// - Returns: The request, whose client and redirect URI are proven.
    /// - Throws: ``AuthorizationRefusal``; `Refusal` if there is no such policy or the store fails.
    public func request(_ form: Form, policy: PolicyID) async throws -> AuthorizationRequest {
        try await Authority.rows.storing {
            try await checked(form, policy: policy)
        }
    }

    /// Checks the parameters of a request, which comes to the authorization endpoint or is pushed.
    func checked(_ form: Form, policy: PolicyID) async throws -> AuthorizationRequest {
        let context = try await context()
        let policy = try PolicyCheck.issuer(
            policy.description,
            settings: context.settings,
            catalogue: context.catalogue
        )
        return try AuthorizationEndpoint.request(form, policy: policy, context)
    }

    /// Checks the parameters of a request to sign out (OpenID Connect RP-Initiated Logout §2).
    ///
    /// - Throws: `OAuthError`, which only the person may see; `Refusal` if there is no such policy or the store fails.
    public func logout(_ form: Form, policy: PolicyID) async throws -> LogoutRequest {
        try await Authority.rows.storing {
            let context = try await context()
            let policy = try PolicyCheck.policy(
                policy.description,
                settings: context.settings,
                catalogue: context.catalogue
            )
            return try LogoutEndpoint.request(
                form,
                requiresHint: policy.session.requireIdTokenHintAtLogout,
                context
            )
        }
    }

    private func context() async throws -> AuthorizationEndpoint.Context {
        let snapshot = try await authority.memory.snapshot()
        return AuthorizationEndpoint.Context(
            settings: authority.settings(),
            catalogue: authority.catalogue(),
            clients: snapshot.clients,
            ring: snapshot.ring,
            now: authority.clock.now
        )
    }
}

extension Authority {
    /// Ends the sessions of a browser; tokens that clients hold go on (OpenID Connect Back-Channel Logout §2.7).
    public func endSessions(_ caller: Caller) async throws {
        try await Self.rows.storing {
            try await store.sessions.end(
                owner: caller.owner,
                events: [AuditEvent(.signOut, by: caller, detail: ["sessions": "of a browser"])]
            )
        }
    }

    /// The policy with an id, if it can be run.
    public func policy(_ id: PolicyID) -> Policy? { catalogue()[id] }

    /// Every policy that has an issuer, as it is now.
    public var policies: [Policy] {
        catalogue().policies.values.filter { !$0.kind.stepsUp }.sorted { $0.id < $1.id }
    }

    /// The policy at which people sign in with each provider outside, by the provider's usual name: one that has
    /// no other way, else one that has it beside others.
    public var providerPolicies: [String: String] {
        var found: [String: Policy] = [:]
        for policy in policies {
            for provider in policy.providers.map(ProviderName.usual) {
                guard let known = found[provider] else {
                    found[provider] = policy
                    continue
                }
                if policy.hasOneWay, !known.hasOneWay { found[provider] = policy }
            }
        }
        return found.mapValues(\.id.description)
    }

    /// The client with an id, configured or registered; nil if there is none.
    public func client(_ id: String) async throws -> OAuthClient? {
        try await Self.rows.storing { try await memory.snapshot().clients[id] }
    }
}

extension Policy {
    /// True if people sign in with one provider, and in no other way.
    fileprivate var hasOneWay: Bool { !isLocal && providers.count == 1 }
}
