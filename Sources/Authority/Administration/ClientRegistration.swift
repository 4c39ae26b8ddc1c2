import Authority
import FlowModel
import OAuth

enum ClientRegistration {
    /// The maximum length of a client's name, in characters.
    static let maxName = 100
    static let maxRedirectURIs = 32

    static func check(_ client: NewClient, settings: AuthoritySettings) throws(InvalidParameters) {
        let isPrintable =
            !client.displayName.containsOutOfPlace { !$0.isPrintable }
            && client.displayName.contains { !$0.unicodeScalars.allSatisfy(\.isMisleading) }
        guard (1...maxName).contains(client.displayName.count), isPrintable else {
            throw InvalidParameters(Text("refusal.clientName", ["most": maxName]))
        }
        guard client.redirectURIs.count <= maxRedirectURIs else {
            throw InvalidParameters(Text("refusal.clientRedirectURIs", ["most": maxRedirectURIs]))
        }
        for uri in client.redirectURIs { try check(redirectURI: uri) }
        if client.type == .browser {
            for uri in client.redirectURIs + client.signOut.postLogoutRedirectURIs where WebOrigin(uri) == nil {
                throw InvalidParameters(Text("refusal.browserRedirectURI", ["uri": uri]))
            }
        }
        try check(client.signOut)
        let scopes = Set(settings.apis.values.flatMap { api in api.scopes.keys.map { "\(api.name)/\($0)" } })
        for scope in client.scopes where !scopes.contains(scope) {
            throw InvalidParameters(Text("refusal.clientScope"))
        }
        if let audience = client.audience {
            guard settings.apis.values.contains(where: { $0.audience == audience }) else {
                throw InvalidParameters(Text("refusal.clientAudience"))
            }
        }
    }

    private static func check(_ signOut: SignOutAddresses) throws(InvalidParameters) {
        guard signOut.postLogoutRedirectURIs.count <= maxRedirectURIs else {
            throw InvalidParameters(Text("refusal.clientSignOutURIs", ["most": maxRedirectURIs]))
        }
        for uri in signOut.postLogoutRedirectURIs { try check(redirectURI: uri) }
        if let problem = signOut.backchannelLogoutURI.flatMap(OutsideURL.refusal) {
            throw InvalidParameters(Text("refusal.clientLogoutURI", ["problem": problem]))
        }
    }

    private static func check(redirectURI text: String) throws(InvalidParameters) {
        do throws(AddressProblem) {
            _ = try RedirectURI(text)
        } catch {
            throw InvalidParameters(Text("refusal.redirectURI", ["problem": error]))
        }
    }
}

extension Unicode.Scalar {
    fileprivate var isPrintable: Bool {
        switch properties.generalCategory {
        case .control, .lineSeparator, .paragraphSeparator: false
        default: !properties.isDefaultIgnorableCodePoint
        }
    }
}
