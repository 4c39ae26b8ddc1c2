import FlowModel
import Localization
import OAuth
import Policies

/// The grant that exchanges an identity provider's token for this authority's tokens (RFC 8693).
enum TokenExchangeGrant: WireGrant {
    static var grantType: GrantType { .tokenExchange }

    /// The supported values of `subject_token_type` (RFC 8693 §3), each with its short name.
    ///
    /// The parameter `providerToken` of requests over the broker's socket uses the same short names.
    private static let kinds = [
        "urn:ietf:params:oauth:token-type:id_token": "id_token",
        "urn:ietf:params:oauth:token-type:access_token": "access_token",
    ]
    private static let issuedType = "urn:ietf:params:oauth:token-type:access_token"
    /// The maximum length of a subject token, in bytes.
    private static let longestToken = 16_384
    /// Unsupported parameters, which are rejected because they would affect the issued token (RFC 8693 §2.1).
    private static let notOffered = ["actor_token", "actor_token_type", "audience"]

    static func isOffered(by policy: Policy, _ catalogue: PolicyCatalogue) -> Bool { !policy.providers.isEmpty }

    static func answer(_ call: ProgramCall) async throws -> TokenResponse {
        guard let run = call.signIn, !call.policy.providers.isEmpty else {
            throw OAuthError.b2c(.unsupportedGrantType, 90086, "this policy does not accept tokens issued by providers")
        }
        let statement = try statement(call)
        let spelled = try call.request.scopes()
        let signIn = AssertedSignIn(
            request: try call.resolve(scopes: spelled, resource: try call.resource()),
            statement: statement,
            origin: call.request.origin,
            correlationID: call.request.correlationID
        )
        let issued: IssuedTokens?
        do {
            issued = try await run(signIn)
        } catch let refusal as Refusal where unacceptable.contains(refusal.reason) {
            throw OAuthError.b2c(.invalidRequest, 90080, refusal.message, detail: refusal.detail)
        }
        guard let issued else {
            throw OAuthError.b2c(.invalidRequest, 90080, "the policy requires more than this token provides")
        }
        return TokenResponse(issued, granted: spelled, call).adding("issued_token_type", .string(issuedType))
    }

    /// The refusal reasons for an unacceptable subject token, reported as `invalid_request` (RFC 8693 §2.2.2).
    private static let unacceptable: Set<Refusal.Reason> = [
        .scopeDenied, .notPermitted, .wrongUser, .providerProtocol, .unmetAuthenticationRequirements,
    ]

    private static func statement(_ call: ProgramCall) throws(OAuthError) -> AssertedSignIn.Statement {
        let request = call.request
        if let name = notOffered.first(where: { request.form[$0] != nil }) {
            throw OAuthError.invalidRequest(
                "the parameter \(name) is not supported; specify the API by scope or resource"
            )
        }
        if let type = request.form["requested_token_type"], type != issuedType {
            throw OAuthError.invalidRequest("requested_token_type must be \(issuedType)")
        }
        let token = Secret(try request.required("subject_token"))
        guard (1...longestToken).contains(token.count) else {
            throw OAuthError.invalidRequest("subject_token is too long")
        }
        guard let kind = kinds[try request.required("subject_token_type")] else {
            throw OAuthError.invalidRequest("subject_token_type must be that of an ID token or an access token")
        }
        return .token(provider: try provider(call), kind: kind, token)
    }

    /// Returns the provider named in `subject_issuer`, or the policy's only provider if the parameter is missing.
    private static func provider(_ call: ProgramCall) throws(OAuthError) -> String {
        let known = call.policy.providers
        guard let name = call.request.form["subject_issuer"] else {
            guard known.count == 1, let only = known.first else {
                throw .b2c(.invalidRequest, 90083, "the parameter subject_issuer is missing: specify the provider")
            }
            return only
        }
        guard let provider = call.policy.provider(named: name) else {
            throw OAuthError.invalidRequest("subject_issuer is not a provider of this policy")
        }
        return provider
    }
}
