import FlowModel
import Moments
public import OAuth
public import Policies
import StoreRefusals

/// Parses requests to the authorization endpoint and the end session endpoint.
public struct AuthorizationRequests: Sendable {
    let authority: Authority

    /// Returns the parameters of an authorization request, or of a pushed request, which is consumed (RFC 9126 §4).
    ///
    /// - Throws: ``AuthorizationRefusal/page(_:)`` if the pushed request is unknown, or `Refusal` if the store fails.
    public func parameters(_ form: Form, policy: PolicyID) async throws -> Form {
        try await Authority.rows.storing { try await withPushed(form, policy: policy) }
    }

    /// Checks an authorization request whose parameters are a result of ``parameters(_:policy:)``.
    ///
    /// - Throws: ``AuthorizationRefusal``, or `Refusal` if the policy does not exist or the store fails.
    public func request(_ form: Form, policy: PolicyID) async throws -> AuthorizationRequest {
        try await Authority.rows.storing {
            try await checked(form, policy: policy)
        }
    }

    func checked(_ form: Form, policy: PolicyID) async throws -> AuthorizationRequest {
        let context = try await context()
        let policy = try PolicyCheck.issuer(policy.description, in: context.catalogue)
        return try AuthorizationEndpoint.request(form, policy: policy, context)
    }

    /// Checks the parameters of a request to sign out (OpenID Connect RP-Initiated Logout §2).
    ///
    /// - Throws: `OAuthError`, to be shown only to the user, or `Refusal` for an unknown policy or a store failure.
    public func logout(_ form: Form, policy: PolicyID) async throws -> LogoutRequest {
        try await Authority.rows.storing {
            let context = try await context()
            let policy = try PolicyCheck.policy(policy.description, in: context.catalogue)
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
