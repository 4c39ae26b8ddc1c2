import OAuth

/// `code_verifier` matches the challenge of the authorization request (RFC 7636 §4.6).
struct VerifierCheck: PresentedGrantCheck {
    func apply(to presented: PresentedGrant) throws {
        guard let code = presented.code, code.body.terms.challenge.matches(verifier: code.verifier) else {
            throw OAuthError.invalidGrant(90182, "code_verifier does not match the challenge")
        }
    }
}
