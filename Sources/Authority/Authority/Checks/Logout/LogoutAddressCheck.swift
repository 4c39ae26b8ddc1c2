import OAuth

/// `post_logout_redirect_uri`, if there is one, is byte for byte one that the client registered for it (OpenID Connect
/// RP-Initiated Logout §3).
struct LogoutAddressCheck: LogoutCheck {
    func apply(to draft: inout LogoutDraft) throws(OAuthError) {
        guard let address = draft.form["post_logout_redirect_uri"] else { return }
        let registered = draft.client?.postLogoutRedirectURIs ?? []
        guard registered.contains(where: { $0.utf8.elementsEqual(address.utf8) }) else {
            throw .b2c(.invalidRequest, 90067, "post_logout_redirect_uri is not registered for this client")
        }
        draft.location = address
        if let state = draft.form["state"] {
            draft.location = address + (address.contains("?") ? "&" : "?") + Form.encoded([("state", state)])
        }
    }
}
