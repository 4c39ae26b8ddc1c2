public import FlowModel
public import OAuth
import Policies

/// The sign-in of a person by a statement that somebody else has made about them.
public struct AssertedSignIn: Sendable {
    /// A statement about a person.
    public enum Statement: Sendable {
        /// One that a provider of one's own has signed.
        case assertion(Secret)
        /// A provider's own token, under the name that `providerToken` of the socket has for its kind.
        case token(provider: String, kind: String, Secret)
    }

    /// The request that the tokens are for.
    public let request: ResolvedRequest
    /// The statement.
    public let statement: Statement
    /// The place that the program calls from.
    public let origin: Origin
    /// The id that answer, log and audit share.
    public let correlationID: CorrelationID

    /// Runs the policy with the statement, and returns the tokens; nil if the statement does not sign anybody in.
    public typealias Run = @Sendable (AssertedSignIn) async throws -> IssuedTokens?
}

/// The grant of a statement about a person (RFC 7523 §2.1), whose policy decides what it is worth.
enum AssertionGrant: WireGrant {
    static var grantType: GrantType { .jwtBearer }

    /// True where a statement is what signs people in.
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
        // A policy of other checks is not begun for it: nobody outside is asked.
        guard isOffered(by: call.policy, call.authority.catalogue()), let issued = try await run(signIn) else {
            throw OAuthError.invalidGrant(90080, "the assertion does not sign anybody in at this policy")
        }
        return TokenResponse(issued, granted: spelled, call)
    }
}
