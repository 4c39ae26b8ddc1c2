import AuthorityStore
import FlowModel
import Foundation
import OAuth
import Policies
import Storage

/// The grant of an authorization code, redeemed over HTTP by the client it was made for (RFC 6749 §4.1.3).
struct AuthorizationCodeGrant: Grant {
    /// The life of a code.
    static let lifetime: Duration = .seconds(60)

    static let name = "authorization_code"
    static let event = AuditKind.tokenIssued

    /// The code as it was found by its hash.
    let code: CodeRow
    /// Its contents.
    let body: CodeBody

    func basis(_ context: GrantContext) async throws -> (GrantBasis, Void) {
        let policy = try PolicyCheck.policy(code.policy, settings: context.settings, catalogue: context.catalogue)
        let client = try ClientCheck.client(code.client, clients: context.snapshot.clients)
        let basis = GrantBasis(
            request: body.request,
            authentication: code.authentication,
            policy: policy,
            client: client,
            nonce: body.terms.nonce
        )
        return (basis, ())
    }

    func record(
        _ basis: GrantBasis,
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
        case .reused: .invalidGrant(90129, "the code was used before")
        }
    }
}

extension AuthorizationCodeGrant: WireGrant {
    static var grantType: GrantType { .authorizationCode }

    static func answer(_ call: ProgramCall) async throws -> TokenResponse {
        let request = call.request
        let code = Secret(try request.required("code"))
        let redirectURI = try request.required("redirect_uri")
        let verifier = Secret(try request.required("code_verifier"))
        guard CodeChallenge.isVerifier(verifier) else {
            throw OAuthError.invalidGrant(90183, "code_verifier is not 43 to 128 unreserved characters")
        }
        guard let row = try await call.authority.store.codes.get(OpaqueCode.hash(code)) else {
            throw refused(.unknown)
        }
        guard row.client == call.client.id else {
            throw OAuthError.invalidGrant(90279, "the code was made for another client")
        }
        guard row.policy == call.policy.id.description else {
            throw OAuthError.invalidGrant(90088, "the code was made at the endpoint of another policy")
        }
        let body = try JSONDecoder().decode(CodeBody.self, from: row.body)
        guard body.terms.redirectURI.utf8.elementsEqual(redirectURI.utf8) else {
            throw OAuthError.invalidGrant(90006, "redirect_uri is not that of the authorization request")
        }
        guard body.terms.challenge.matches(verifier: verifier) else {
            throw OAuthError.invalidGrant(90182, "code_verifier does not match the challenge")
        }
        if let resource = try request.resource(), resource != body.request.resource {
            let again = try call.resolve(scopes: body.request.spelledScopes, resource: resource)
            guard again.audience == body.request.audience, again.resource == body.request.resource else {
                throw OAuthError(code: .invalidTarget, description: "the code was not made for this resource")
            }
        }
        let issued = try await call.authority.tokens.issue(
            AuthorizationCodeGrant(code: row, body: body),
            request.caller(row.owner)
        )
        return TokenResponse(issued, granted: body.request.spelledScopes, call)
    }
}
