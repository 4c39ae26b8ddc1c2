import FlowModel
import OAuth

/// `redirect_uri` is there, also if only one is registered, and is exactly a registered one but for a loopback's port
/// (RFC 9700 §4.1.3, RFC 8252 §7.3).
struct RedirectURICheck: AddressCheck {
    func apply(to draft: inout AddressDraft) throws(OAuthError) {
        let known = draft.client?.summary.redirectURIs ?? []
        guard !known.isEmpty else {
            throw .b2c(.invalidRequest, 90007, "no redirect URI is registered for this client")
        }
        guard let text = draft.form["redirect_uri"], !draft.form.repeated.contains("redirect_uri") else {
            throw .b2c(.invalidRequest, 90006, "the parameter redirect_uri is missing or there twice")
        }
        guard let asked = try? RedirectURI(text) else {
            throw .b2c(.invalidRequest, 90287, "the redirect URI is not one that can be registered")
        }
        let registered = known.compactMap { try? RedirectURI($0) }
        guard registered.contains(where: { $0.allows(asked) }) else {
            throw .b2c(.invalidRequest, 90006, "the redirect URI is not registered for this client")
        }
        draft.redirectURI = asked
    }
}
