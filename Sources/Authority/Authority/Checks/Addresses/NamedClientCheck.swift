import OAuth

/// `client_id` is there, and names a client (RFC 6749 §4.1.1).
struct NamedClientCheck: AddressCheck {
    func apply(to draft: inout AddressDraft) throws(OAuthError) {
        guard let id = draft.form["client_id"], !draft.form.repeated.contains("client_id") else {
            throw .b2c(.invalidRequest, 90008, "the parameter client_id is missing or there twice")
        }
        guard let client = draft.clients[id] else {
            throw .b2c(.unauthorizedClient, 90018, "no client is registered under this id")
        }
        draft.client = client
    }
}
