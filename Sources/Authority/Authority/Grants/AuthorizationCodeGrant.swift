import AuthorityStore
import FlowModel
import Foundation
import OAuth
import Policies
import Storage

/// The authorization code grant, in which the client redeems a code over HTTP (RFC 6749 §4.1.3).
struct AuthorizationCodeGrant: Grant {
    static let lifetime: Duration = .seconds(60)

    static let name = "authorization_code"
    static let event = AuditKind.tokenIssued

    let code: CodeRow
    let body: CodeBody

    func basis(_ context: GrantContext) async throws -> (GrantDecision, Void) {
        let policy = try PolicyCheck.policy(code.policy, in: context.catalogue)
        let client = try ClientCheck.client(code.client, clients: context.snapshot.clients)
        let basis = GrantDecision(
            request: body.request,
            authentication: code.authentication,
            policy: policy,
            client: client,
            nonce: body.terms.nonce
        )
        return (basis, ())
    }

    func record(
        _ basis: GrantDecision,
        _ source: Void,
        event: AuditEvent,
        _ context: GrantContext
    ) async throws -> FamilyRow {
        let family = basis.newFamily(context, session: code.sessionID)
        let redemption = try await context.store.codes.redeem(
            code,
            family: family,
            expectedEpoch: context.snapshot.epoch,
            events: [event],
            correlationID: context.caller.correlationID
        )
        switch redemption {
        case .redeemed: return family
        case .refused(let reason): throw Self.refused(reason)
        }
    }

    private static func refused(_ reason: RefusedCode) -> OAuthError {
        switch reason {
        case .unknown: .invalidGrant(90080, "the code is not valid")
        case .expired: .invalidGrant(90080, "the code has expired")
        case .signedOut: .invalidGrant(90080, "the session in which the code was issued has ended")
        case .reused: .invalidGrant(90129, "the code was used before")
        }
    }
}

extension AuthorizationCodeGrant: WireGrant {
    static var grantType: GrantType { .authorizationCode }

    static func answer(_ arrived: ProgramCall) async throws -> TokenResponse {
        let request = arrived.request
        let code = Secret(try request.required("code"))
        let redirectURI = try request.required("redirect_uri")
        let verifier = Secret(try request.required("code_verifier"))
        guard CodeChallenge.isVerifier(verifier) else {
            throw OAuthError.invalidGrant(90183, "code_verifier is not 43 to 128 unreserved characters")
        }
        guard let row = try await arrived.authority.store.codes.get(OpaqueCode.hash(code)) else {
            throw refused(.unknown)
        }
        guard let body = try CodeBody(json: StrictJSON.parse(row.body)) else {
            throw OAuthError.serverError(detail: "the content of an authorization code cannot be read")
        }
        let holder = try GrantChecks.client(row.client, of: "code", arrived)
        let call = try GrantChecks.policy(row.policy, of: "code", holder)
        let addressed = try GrantChecks.redirectURI(redirectURI, body.terms)
        let terms = try GrantChecks.verifier(verifier, addressed)
        let asked = try GrantChecks.resource(body.request, call)
        let issued = try await call.authority.tokens.issue(
            AuthorizationCodeGrant(code: row, body: CodeBody(terms: terms, request: asked)),
            request.caller(row.owner)
        )
        return TokenResponse(issued, granted: asked.spelledScopes, call)
    }
}
