import FlowModel
import Moments
import OAuth
import Policies

/// The checks on a program's request, in order, each of which returns the value it validated (RFC 6749 §3.2).
///
/// A pushed request must then pass ``AuthorizeChecks`` (RFC 9126 §2.1). The first paragraph of each comment is copied
/// to `docs/authority.md`.
enum ProgramChecks {
    /// No parameter of a program's request except `resource` may be repeated (RFC 6749 §3.2, RFC 8707 §2).
    static func single(_ request: ProgramRequest) throws(OAuthError) -> ProgramRequest {
        guard let name = request.form.repeated.first(where: { $0 != "resource" }) else { return request }
        // The error contains only plausible parameter names, so that no arbitrary text reaches a log or terminal.
        let shown = name.utf8.count <= 64 && name.utf8.allSatisfy { $0 == 0x5F || (0x61...0x7A).contains($0) }
        throw .invalidRequest(shown ? "the parameter \(name) is repeated" : "a parameter is repeated")
    }

    /// The policy in the request's URL must exist and must be an issuer (RFC 8414 §2).
    static func issuer(_ request: ProgramRequest, _ authority: Authority) throws(Refusal) -> Policy {
        try PolicyCheck.issuer(request.policy, in: authority.catalogue())
    }

    /// The request must name a client and authenticate it with exactly one of the client's registered methods (RFC 6749
    /// §2.3, RFC 7523 §3).
    static func client(
        _ request: ProgramRequest,
        _ policy: Policy,
        at endpoint: AuthorityEndpoint,
        _ authority: Authority
    ) async throws -> OAuthClient {
        let authenticator = ClientAuthenticator(
            store: authority.store,
            failures: authority.clientFailures,
            now: authority.clock.now
        )
        return try await authenticator.client(request, among: try await authority.memory.snapshot().clients) {
            let settings = authority.settings()
            let root = settings.root(of: policy.id)
            // Every endpoint also accepts the token endpoint's URL as the audience (RFC 7523 §3).
            return [settings.issuer(of: policy.id), root + AuthorityEndpoint.token.path, root + endpoint.path]
        }
    }

    /// `grant_type` must be present and must name a supported grant (RFC 6749 §5.2).
    static func grant(_ request: ProgramRequest) throws(OAuthError) -> any WireGrant.Type {
        let name = try request.required("grant_type")
        guard let grant = TokenEndpoint.wireGrants.first(where: { $0.grantType.wireName == name }) else {
            throw .b2c(.unsupportedGrantType, 90086, "this grant type is not supported")
        }
        return grant
    }

    /// The client must be registered for the grant (RFC 6749 §5.2 `unauthorized_client`).
    static func registered(_ call: ProgramCall, for grant: GrantType) throws(OAuthError) -> ProgramCall {
        guard call.client.grants.contains(grant) else {
            throw .b2c(.unauthorizedClient, 90224, "the client may not use this grant type")
        }
        return call
    }

    /// The client must be confidential, because a public client cannot authenticate (RFC 7662 §2.1).
    static func confidential(_ call: ProgramCall) throws(OAuthError) -> ProgramCall {
        switch call.client.summary.type {
        case .confidential: return call
        case .public, .browser:
            let detail = "a public client cannot authenticate (RFC 7662 §2.1)"
            throw .b2c(.invalidClient, 90058, "client authentication failed", detail: detail)
        }
    }

    /// `token` must be present (RFC 7009 §2.1, RFC 7662 §2.1).
    static func token(_ request: ProgramRequest) throws(OAuthError) -> Secret {
        Secret(try request.required("token"))
    }

    /// A pushed authorization request must not contain `request_uri` (RFC 9126 §2.1).
    static func unnested(_ call: ProgramCall) throws(OAuthError) -> ProgramCall {
        guard call.request.form["request_uri"] == nil else {
            throw .invalidRequest("a pushed request must not contain request_uri")
        }
        return call
    }

    /// In a device's request, `scope` must be a list of scopes separated by single spaces (RFC 8628 §3.1, RFC 6749
    /// §3.3).
    static func scopes(_ call: ProgramCall) throws(OAuthError) -> [String] { try call.request.scopes() }

    /// A program's request may name at most one resource, which must be listed in `apis.NAME.resources` (RFC 8707 §2).
    static func resource(_ call: ProgramCall) throws(OAuthError) -> String? { try call.resource() }
}
