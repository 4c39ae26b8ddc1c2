import OAuth

/// `resource`, if there is one, is that of the authorization request (RFC 8707 §2.2).
struct SameResourceCheck: PresentedGrantCheck {
    func apply(to presented: PresentedGrant) throws {
        guard let request = presented.code?.body.request,
            let resource = try presented.call.resource(), resource != request.resource
        else { return }
        let again = try presented.call.resolve(scopes: request.spelledScopes, resource: resource)
        guard again.audience == request.audience, again.resource == request.resource else {
            throw OAuthError.b2c(.invalidTarget, 90146, "the code was not made for this resource")
        }
    }
}
