import AuthorityStore
import OAuth
import Policies

/// The checks of a code or a refresh token that a client presents, in their order; each returns what the next step needs.
///
/// The other grants present nothing that was given before, but for a device's code, which is bound to client and policy by
/// the statement that finds it. That each is used once is decided by the statement that uses it up. The first paragraph of
/// each comment stands in `docs/authority.md`.
enum GrantChecks {
    /// It was given to this client (RFC 6749 §4.1.3, §6).
    static func client(_ client: String, of noun: String, _ call: ProgramCall) throws(OAuthError) -> ProgramCall {
        guard client == call.client.id else {
            throw .invalidGrant(90279, "the \(noun) was given to another client")
        }
        return call
    }

    /// It was given at this policy's endpoint, since each policy is an issuer of its own.
    static func policy(_ policy: String, of noun: String, _ call: ProgramCall) throws(OAuthError) -> ProgramCall {
        guard policy == call.policy.id.description else {
            throw .invalidGrant(90088, "the \(noun) was given at the endpoint of another policy")
        }
        return call
    }

    /// `redirect_uri` is byte for byte that of the authorization request (RFC 6749 §4.1.3).
    static func redirectURI(_ redirectURI: String, _ terms: CodeTerms) throws(OAuthError) -> CodeTerms {
        guard terms.redirectURI.utf8.elementsEqual(redirectURI.utf8) else {
            throw .invalidGrant(90006, "redirect_uri is not that of the authorization request")
        }
        return terms
    }

    /// `code_verifier` matches the challenge of the authorization request (RFC 7636 §4.6).
    static func verifier(_ verifier: Secret, _ terms: CodeTerms) throws(OAuthError) -> CodeTerms {
        guard terms.challenge.matches(verifier: verifier) else {
            throw .invalidGrant(90182, "code_verifier does not match the challenge")
        }
        return terms
    }

    /// `resource`, if there is one, is that of the authorization request (RFC 8707 §2.2).
    static func resource(_ request: ResolvedRequest, _ call: ProgramCall) throws -> ResolvedRequest {
        guard let resource = try call.resource(), resource != request.resource else { return request }
        let again = try call.resolve(scopes: request.spelledScopes, resource: resource)
        guard again.audience == request.audience, again.resource == request.resource else {
            throw OAuthError.b2c(.invalidTarget, 90146, "the code was not made for this resource")
        }
        return request
    }

    /// Its family was not revoked, and its person may sign in (RFC 6749 §5.2, RFC 9700 §4.14.2).
    static func live(_ family: FamilyRow) throws(OAuthError) -> FamilyRow {
        guard family.revokedAt != nil else { return family }
        // The holder of a token that was real learns if the account is why.
        throw family.revokedReason == "user_disabled"
            ? .invalidGrant(90128, "the account may not sign in")
            : .invalidGrant(90129, "the refresh token was revoked")
    }
}
