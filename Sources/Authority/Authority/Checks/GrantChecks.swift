import AuthorityStore
import OAuth
import Policies

/// The checks on a code or refresh token that a client presents, each of which returns the value it validated.
///
/// The store's SQL statements detect a second use, and check device codes. The first paragraph of each comment is
/// copied to `docs/authority.md`.
enum GrantChecks {
    /// The code or token must have been issued to the client that presents it (RFC 6749 §4.1.3, §6).
    static func client(_ client: String, of noun: String, _ call: ProgramCall) throws(OAuthError) -> ProgramCall {
        guard client == call.client.id else {
            throw .invalidGrant(90279, "the \(noun) was issued to another client")
        }
        return call
    }

    /// The code or token must have been issued by the policy whose endpoint received the request, because each policy
    /// is a separate issuer.
    static func policy(_ policy: String, of noun: String, _ call: ProgramCall) throws(OAuthError) -> ProgramCall {
        guard policy == call.policy.id.description else {
            throw .invalidGrant(90088, "the \(noun) was issued at the endpoint of another policy")
        }
        return call
    }

    /// `redirect_uri` must be byte for byte the same as in the authorization request (RFC 6749 §4.1.3).
    static func redirectURI(_ redirectURI: String, _ terms: CodeTerms) throws(OAuthError) -> CodeTerms {
        guard terms.redirectURI.utf8.elementsEqual(redirectURI.utf8) else {
            throw .invalidGrant(90006, "redirect_uri is not the same as in the authorization request")
        }
        return terms
    }

    /// `code_verifier` must match the PKCE challenge in the authorization request (RFC 7636 §4.6).
    static func verifier(_ verifier: Secret, _ terms: CodeTerms) throws(OAuthError) -> CodeTerms {
        guard terms.challenge.matches(verifier: verifier) else {
            throw .invalidGrant(90182, "code_verifier does not match the challenge")
        }
        return terms
    }

    /// `resource`, if present, must be the same as in the authorization request (RFC 8707 §2.2).
    static func resource(_ request: ResolvedRequest, _ call: ProgramCall) throws -> ResolvedRequest {
        guard let resource = try call.resource(), resource != request.resource else { return request }
        let again = try call.resolve(
            scopes: request.spelledScopes,
            resource: resource,
            omittedScope: .apiDefaults
        )
        guard again.audience == request.audience, again.resource == request.resource else {
            throw OAuthError.b2c(.invalidTarget, 90146, "the code was not issued for this resource")
        }
        return request
    }

    /// The token family must not have been revoked, and the family's user must be allowed to sign in (RFC 6749 §5.2,
    /// RFC 9700 §4.14.2).
    static func live(_ family: FamilyRow) throws(OAuthError) -> FamilyRow {
        guard family.revokedAt != nil else { return family }
        // The token is genuine, so the bearer may learn that the user's account is the reason for the rejection.
        throw family.revokedReason == "user_disabled"
            ? .invalidGrant(90128, "the account may not sign in")
            : .invalidGrant(90129, "the refresh token was revoked")
    }
}
