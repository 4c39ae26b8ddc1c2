import AuthorityStore
public import FlowModel
import Moments
public import OAuth
public import Policies
import StoreRefusals

extension Authority {
    /// Checks the parameters of an authorization request.
    ///
    /// - Parameters:
    ///   - form: The parameters.
    ///   - policy: The policy whose endpoint was asked.
    /// - Returns: The request, whose client and redirect URI are proven.
    /// - Throws: ``AuthorizationRefusal``; `Refusal` if there is no such policy or the store fails.
    public func authorizationRequest(_ form: Form, policy: PolicyID) async throws -> AuthorizationRequest {
        try await Self.rows.storing {
            try await checked(try await withPushed(form, policy: policy), policy: policy, at: .authorize)
        }
    }

    /// Checks the parameters of a request at one of the two endpoints that take them.
    func checked(
        _ form: Form,
        policy: PolicyID,
        at endpoint: AuthorizationEndpoint.Endpoint
    ) async throws -> AuthorizationRequest {
        let context = try await authorizationContext()
        let policy = try PolicyCheck.issuer(
            policy.description,
            settings: context.settings,
            catalogue: context.catalogue
        )
        return try AuthorizationEndpoint.request(form, policy: policy, at: endpoint, context)
    }

    /// Checks the parameters of a request to sign out (OpenID Connect RP-Initiated Logout §2).
    ///
    /// - Throws: `OAuthError`, which only the person may see; `Refusal` if there is no such policy or the store fails.
    public func logoutRequest(_ form: Form, policy: PolicyID) async throws -> LogoutRequest {
        try await Self.rows.storing {
            let context = try await authorizationContext()
            let policy = try PolicyCheck.policy(
                policy.description,
                settings: context.settings,
                catalogue: context.catalogue
            )
            return try AuthorizationEndpoint.logout(
                form,
                requiresHint: policy.session.requireIdTokenHintAtLogout,
                context
            )
        }
    }

    /// Ends the sessions of a browser; tokens that clients hold go on (OpenID Connect Back-Channel Logout §2.7).
    public func endSessions(_ caller: Caller) async throws {
        try await Self.rows.storing {
            try await store.sessions.end(
                owner: caller.owner,
                events: [AuditEvent(.signOut, by: caller, detail: ["sessions": "of a browser"])]
            )
        }
    }

    private func authorizationContext() async throws -> AuthorizationEndpoint.Context {
        let snapshot = try await memory.snapshot()
        return AuthorizationEndpoint.Context(
            settings: settings(),
            catalogue: catalogue(),
            clients: snapshot.clients,
            ring: snapshot.ring,
            now: clock.now
        )
    }

    /// The policy with an id, if it can be run.
    public func policy(_ id: PolicyID) -> Policy? { catalogue()[id] }

    /// Every policy that has an issuer, as it is now.
    public var policies: [Policy] {
        catalogue().policies.values.filter { !$0.kind.stepsUp }.sorted { $0.id < $1.id }
    }

    /// The client with an id, configured or registered; nil if there is none.
    public func client(_ id: String) async throws -> OAuthClient? {
        try await Self.rows.storing { try await memory.snapshot().clients[id] }
    }
}
