public import FlowModel
public import OAuth
import Policies

/// A request to sign in a user with an assertion that another party signed.
public struct AssertedSignIn: Sendable {
    /// The assertion about the user.
    public enum Statement: Sendable {
        /// A JWT that a configured identity provider signed.
        case assertion(Secret)
        /// A token issued by a provider. `kind` is the token's name in the socket's `providerToken` parameter.
        case token(provider: String, kind: String, Secret)
    }

    /// The token request, already validated.
    public let request: ResolvedRequest
    /// The assertion that identifies the user.
    public let statement: Statement
    /// The origin of the calling program.
    public let origin: Origin
    /// The id that identifies the request in the response, the log and the audit events.
    public let correlationID: CorrelationID

    /// Runs the policy with the assertion, and returns the tokens, or `nil` if the assertion does not sign in a user.
    public typealias Run = @Sendable (AssertedSignIn) async throws -> IssuedTokens?
}

/// The `jwt-bearer` grant (RFC 7523 §2.1), for assertions accepted by the policy.
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
        // A policy that also requires other checks is not run, so no external service is called for the assertion.
        guard isOffered(by: call.policy, call.authority.catalogue()), let issued = try await run(signIn) else {
            throw OAuthError.invalidGrant(90080, "the assertion does not sign a user in at this policy")
        }
        return TokenResponse(issued, granted: spelled, call)
    }
}
