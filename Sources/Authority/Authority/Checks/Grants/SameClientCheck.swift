import OAuth

/// It was given to this client (RFC 6749 §4.1.3, §6).
struct SameClientCheck: PresentedGrantCheck {
    func apply(to presented: PresentedGrant) throws {
        guard presented.client == presented.call.client.id else {
            throw OAuthError.invalidGrant(90279, "the \(presented.noun) was given to another client")
        }
    }
}
