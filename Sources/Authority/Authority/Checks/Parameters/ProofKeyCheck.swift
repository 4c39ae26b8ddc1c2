import OAuth

/// Every client sends a challenge, and its method is `S256` (RFC 7636 §4.3, RFC 9700 §2.1.1).
struct ProofKeyCheck: ParameterCheck {
    func apply(to draft: inout AuthorizationDraft) throws(OAuthError) {
        guard let challenge = draft.form["code_challenge"] else {
            throw .b2c(.invalidRequest, 99059, "the parameter code_challenge is missing")
        }
        // Without a method it would be plain.
        guard draft.form["code_challenge_method"] == CodeChallenge.method else {
            throw .b2c(.invalidRequest, 90184, "the only code_challenge_method is S256")
        }
        draft.challenge = try CodeChallenge(challenge)
    }
}
