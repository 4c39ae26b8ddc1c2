import OAuth

/// The client must be registered for codes (RFC 6749 §4.1.2.1).
struct ClientGrantCheck: ParameterCheck {
    func apply(to draft: inout AuthorizationDraft) throws(OAuthError) {
        guard draft.client.grants.contains(.authorizationCode) else {
            throw .b2c(.unauthorizedClient, 90057, "the client may not ask for codes")
        }
    }
}
