import OAuth

/// The access token counts, and is a person's (RFC 6750 §3.1 `invalid_token`).
struct PersonTokenCheck: BearerCheck {
    func apply(to token: LiveToken?) throws(OAuthError) {
        guard token?.family != nil else {
            throw .invalidToken(detail: "the token does not count, or is a client's own")
        }
    }
}
