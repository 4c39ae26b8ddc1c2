import FlowModel
import Moments
import OAuth
import Policies

/// The checks of a program's request, in their order (RFC 6749 §3.2); each returns what the next step needs.
///
/// A request is answered by the first check that it fails. A pushed request is a program's first, and then checked as the
/// authorization endpoint would (RFC 9126 §2.1). The first paragraph of each comment stands in `docs/authority.md`.
enum ProgramChecks {
    /// No parameter is there twice (RFC 6749 §3.2) but `resource` (RFC 8707 §2).
    static func single(_ request: ProgramRequest) throws(OAuthError) -> ProgramRequest {
        guard let name = request.form.repeated.first(where: { $0 != "resource" }) else { return request }
        // A name is repeated only if it is one of OAuth's, so that nothing foreign reaches a log or a terminal.
        let shown = name.utf8.count <= 64 && name.utf8.allSatisfy { $0 == 0x5F || (0x61...0x7A).contains($0) }
        throw .invalidRequest(shown ? "the parameter \(name) is there twice" : "a parameter is there twice")
    }

    /// The policy of the address exists, and is an issuer (RFC 8414 §2).
    static func issuer(_ request: ProgramRequest, _ authority: Authority) throws(Refusal) -> Policy {
        try PolicyCheck.issuer(request.policy, in: authority.catalogue())
    }

    /// The client is named, and proves who it is in one way that it is registered for (RFC 6749 §2.3, RFC 7523 §3).
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
            // RFC 7523 §3: the token endpoint's address may name the authority at its other endpoints too.
            return [settings.issuer(of: policy.id), root + AuthorityEndpoint.token.path, root + endpoint.path]
        }
    }

    /// `grant_type` is there, and names a grant of this authority (RFC 6749 §5.2).
    static func grant(_ request: ProgramRequest) throws(OAuthError) -> any WireGrant.Type {
        let name = try request.required("grant_type")
        guard let grant = TokenEndpoint.wireGrants.first(where: { $0.grantType.wireName == name }) else {
            throw .b2c(.unsupportedGrantType, 90086, "this grant type is not supported")
        }
        return grant
    }

    /// The client is registered for the grant (RFC 6749 §5.2 `unauthorized_client`).
    static func registered(_ call: ProgramCall, for grant: GrantType) throws(OAuthError) -> ProgramCall {
        guard call.client.grants.contains(grant) else {
            throw .b2c(.unauthorizedClient, 90224, "the client may not use this grant type")
        }
        return call
    }

    /// The client is a confidential one: a public client proves nothing by its name (RFC 7662 §2.1).
    static func confidential(_ call: ProgramCall) throws(OAuthError) -> ProgramCall {
        switch call.client.summary.type {
        case .confidential: return call
        case .public:
            let detail = "a public client proves nothing (RFC 7662 §2.1)"
            throw .b2c(.invalidClient, 90058, "client authentication failed", detail: detail)
        }
    }

    /// `token` is there (RFC 7009 §2.1, RFC 7662 §2.1).
    static func token(_ request: ProgramRequest) throws(OAuthError) -> Secret {
        Secret(try request.required("token"))
    }

    /// A pushed request names no `request_uri` (RFC 9126 §2.1).
    static func unnested(_ call: ProgramCall) throws(OAuthError) -> ProgramCall {
        guard call.request.form["request_uri"] == nil else {
            throw .invalidRequest("a pushed request names no request_uri")
        }
        return call
    }

    /// A device's `scope` is a list of scopes with single spaces between them (RFC 8628 §3.1, RFC 6749 §3.3).
    static func scopes(_ call: ProgramCall) throws(OAuthError) -> [String] { try call.request.scopes() }

    /// A program's request is for one `resource`, one of `apis.NAME.resources` (RFC 8707 §2).
    static func resource(_ call: ProgramCall) throws(OAuthError) -> String? { try call.resource() }
}
