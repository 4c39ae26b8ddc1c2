import FlowModel
import Moments
public import OAuth
public import Policies
import StoreRefusals

/// The requests at the authorization endpoint and at the end session endpoint, as they are parsed.
public struct AuthorizationRequests: Sendable {
    let authority: Authority

    /// The parameters of an authorization request: those of the pushed request that it names, which cannot be taken
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
        let policy = try PolicyCheck.issuer(policy.description, in: context.catalogue)
        return try AuthorizationEndpoint.request(form, policy: policy, context)
    }

    /// Checks the parameters of a request to sign out (OpenID Connect RP-Initiated Logout §2).
    ///
    /// - Throws: `OAuthError`, which only the person may see; `Refusal` if there is no such policy or the store fails.
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
