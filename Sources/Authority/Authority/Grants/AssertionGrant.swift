public import FlowModel
public import OAuth
import Policies

/// A request to sign in a user with a JWT assertion or with a token that an identity provider issued.
public struct AssertedSignIn: Sendable {
    /// The assertion or token about the user.
    public enum Statement: Sendable {
        /// A JWT assertion that a configured identity provider signed.
        case assertion(Secret)
        /// A token that an identity provider issued, whose `kind` is `id_token` or `access_token`.
        case token(provider: String, kind: String, Secret)
    }

    /// The validated token request.
    public let request: ResolvedRequest
    /// The assertion or token that identifies the user.
    public let statement: Statement
    /// The origin of the program that sent the request.
    public let origin: Origin
    /// The id that identifies the request in the response, the log and the audit events.
    public let correlationID: CorrelationID

    /// Runs the policy and returns the issued tokens, or `nil` if the assertion or token does not sign in a user.
    public typealias Run = @Sendable (AssertedSignIn) async throws -> IssuedTokens?
}

/// The `jwt-bearer` grant (RFC 7523 §2.1), which signs in a user with an assertion that the policy accepts.
enum AssertionGrant: WireGrant {
    static var grantType: GrantType { .jwtBearer }

    static func isOffered(by policy: Policy, _ catalogue: PolicyCatalogue) -> Bool {
        policy.signInChecks.contains { catalogue[check: $0]?.type == .assertion }
    }

    static func answer(_ call: ProgramCall) async throws -> TokenResponse {
        guard let run = call.signIn else {
            throw OAuthError.b2c(.unsupportedGrantType, 90086, "this grant type is not supported")
        }
        let assertion = Secret(try call.request.required("assertion"))
        let spelled = try call.request.scopes()
        let signIn = AssertedSignIn(
            request: try call.resolve(scopes: spelled, resource: try call.resource()),
            statement: .assertion(assertion),
            origin: call.request.origin,
            correlationID: call.request.correlationID
        )
        // A policy without assertion sign-in is not run, so that no external service is called.
        guard isOffered(by: call.policy, call.authority.catalogue()), let issued = try await run(signIn) else {
            throw OAuthError.invalidGrant(90080, "the assertion does not sign a user in at this policy")
        }
        return TokenResponse(issued, granted: spelled, call)
    }
}
