import Authority
import FlowModel
import Foundation
import OAuth

/// The rules of what may be registered as a client.
enum ClientRegistration {
    /// Longest name, in characters.
    static let maxName = 100
    /// Most redirect URIs of one client.
    static let maxRedirectURIs = 32
    /// Longest redirect URI, in bytes.
    static let maxRedirectURI = 2048

    /// Refuses a client that breaks one of the rules.
    static func check(_ client: NewClient, settings: AuthoritySettings) throws(OAuthError) {
        let isPrintable = client.displayName.unicodeScalars.allSatisfy {
            !$0.properties.isDefaultIgnorableCodePoint && $0.value >= 0x20 && $0.value != 0x7F
        }
        guard (1...maxName).contains(client.displayName.count), isPrintable else {
            throw .invalidRequest("a client's name has 1 to \(maxName) printable characters")
        }
        guard client.redirectURIs.count <= maxRedirectURIs else {
            throw .invalidRequest("a client has at most \(maxRedirectURIs) redirect URIs")
        }
        for uri in client.redirectURIs { try check(redirectURI: uri) }
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

    /// Absolute, without fragment; `https`, `http` on loopback (RFC 8252 §7.3), or a scheme of the program's own
    /// with a dot in it (RFC 8252 §7.1).
    private static func check(redirectURI text: String) throws(OAuthError) {
        if text.lowercased().hasPrefix("urn:ietf:wg:oauth:2.0:oob") {
            throw OAuthError(
                code: .invalidRedirectURI,
                description: "out-of-band redirects are refused; use a loopback address or a device code"
            )
        }
        let refused = OAuthError(
            code: .invalidRedirectURI,
            description: "a redirect URI is https, http on a loopback address, or of a scheme with a dot in it"
        )
        guard text.utf8.count <= maxRedirectURI, let url = URLComponents(string: text), let scheme = url.scheme,
            url.fragment == nil, !text.contains("#"), !text.contains("*"), url.user == nil
        else { throw refused }
        let host = url.host ?? ""
        switch scheme.lowercased() {
        case "https": guard !host.isEmpty else { throw refused }
        case "http":
            guard ["localhost", "127.0.0.1", "[::1]", "::1"].contains(host.lowercased()) else { throw refused }
        default: guard scheme.contains(".") else { throw refused }
        }
    }
}
