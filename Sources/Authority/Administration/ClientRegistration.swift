import Authority
import FlowModel
import OAuth

/// The rules of client registration.
enum ClientRegistration {
    /// The greatest length of a name, in characters.
    static let maxName = 100
    /// The greatest number of redirect URIs of one client.
    static let maxRedirectURIs = 32

    /// Refuses a client that breaks one of the rules.
    static func check(_ client: NewClient, settings: AuthoritySettings) throws(OAuthError) {
        let isPrintable = client.displayName.unicodeScalars.allSatisfy(\.isPrintable)
        guard (1...maxName).contains(client.displayName.count), isPrintable else {
            throw .invalidRequest("a client's name has 1 to \(maxName) printable characters")
        }
        guard client.redirectURIs.count <= maxRedirectURIs else {
            throw .invalidRequest("a client has at most \(maxRedirectURIs) redirect URIs")
        }
        for uri in client.redirectURIs { try check(redirectURI: uri) }
        try check(client.signOut)
        let scopes = Set(settings.apis.values.flatMap { api in api.scopes.keys.map { "\(api.name)/\($0)" } })
        for scope in client.scopes where !scopes.contains(scope) {
            throw .invalidScope("no API has this scope; scopes are written <api>/<scope>")
        }
        if let audience = client.audience {
            guard settings.apis.values.contains(where: { $0.audience == audience }) else {
                throw .invalidRequest("no API has this audience")
            }
        }
    }

    private static func check(_ signOut: SignOutAddresses) throws(OAuthError) {
        guard signOut.postLogoutRedirectURIs.count <= maxRedirectURIs else {
            throw .invalidRequest("a client has at most \(maxRedirectURIs) addresses after sign-out")
        }
        for uri in signOut.postLogoutRedirectURIs { try check(redirectURI: uri) }
        if let refusal = signOut.backchannelLogoutURI.flatMap(WebURL.refusal(ofAPI:)) {
            throw .invalidRequest("the address for sign-outs \(refusal)")
        }
    }

    private static func check(redirectURI text: String) throws(OAuthError) {
        do throws(RedirectURI.Invalid) {
            _ = try RedirectURI(text)
        } catch {
            throw OAuthError(code: .invalidRedirectURI, description: "a redirect URI \(error.reason)")
        }
    }
}

extension Unicode.Scalar {
    /// False for what moves, hides or turns around the text beside it: controls (C0 and C1), marks of direction, separators
    /// of lines.
    fileprivate var isPrintable: Bool {
        switch properties.generalCategory {
        case .control, .lineSeparator, .paragraphSeparator: false
        default: !properties.isDefaultIgnorableCodePoint
        }
    }
}
