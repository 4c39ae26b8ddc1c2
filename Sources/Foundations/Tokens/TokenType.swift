/// The kind of a token, spelled as `typ` on the wire; one kind is never taken for another (RFC 8725 §3.11).
public enum TokenType: String, CaseIterable, Hashable, Sendable {
    /// An access token (RFC 9068 §2.1).
    case accessToken = "at+jwt"
    /// A logout token (OpenID Connect Back-Channel Logout §2.4).
    case logoutToken = "logout+jwt"
    /// The proof of one request to a custom identity provider.
    case realmRequest = "realm-request+jwt"
    /// Any other token, such as an ID token.
    case jwt = "JWT"

    /// True if `typ` names this kind.
    ///
    /// The media type may be spelled whole, and ID tokens need no `typ` (RFC 7515 §4.1.9, RFC 9068 §4).
    func accepts(_ typ: String?) -> Bool {
        guard let typ else { return self == .jwt }
        let text = typ.lowercased()
        let name = rawValue.lowercased()
        return text == name || text == "application/" + name
    }
}
