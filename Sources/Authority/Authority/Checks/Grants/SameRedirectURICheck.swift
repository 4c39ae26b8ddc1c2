import OAuth

/// `redirect_uri` is byte for byte that of the authorization request (RFC 6749 §4.1.3).
struct SameRedirectURICheck: PresentedGrantCheck {
    func apply(to presented: PresentedGrant) throws {
        guard let code = presented.code, code.body.terms.redirectURI.utf8.elementsEqual(code.redirectURI.utf8) else {
            throw OAuthError.invalidGrant(90006, "redirect_uri is not that of the authorization request")
        }
    }
}
