import Foundation
public import OAuth

/// Signs claims: a JWS in compact form (RFC 7515 §7.1).
public enum TokenMinter {
    /// Mints a token whose claims keep their order.
    ///
    /// - Parameters:
    ///   - type: The kind of token.
    ///   - claims: The claims; no name may stand twice.
    ///   - key: The key to sign with.
    /// - Returns: The token.
    /// - Throws: `tooLarge` if it is longer than ``UnverifiedJWT/maxLength``, `cryptoFailed` if signing failed.
    public static func mint(
        typ type: TokenType,
        claims: [(String, JSONValue)],
        with key: SigningKey
    ) throws(TokenError) -> Secret {
        assert(Set(claims.map(\.0)).count == claims.count, "a claim stands twice")
        var payload: [UInt8] = []
        payload.reserveCapacity(1024)
        JSONValue.append(members: claims, to: &payload)
        return try mint(type, payload: payload, with: key)
    }

    /// Mints a token whose claims are sorted by name.
    ///
    /// - Parameters:
    ///   - type: The kind of token.
    ///   - claims: The claims.
    ///   - key: The key to sign with.
    /// - Returns: The token.
    /// - Throws: `tooLarge` if it is longer than ``UnverifiedJWT/maxLength``, `cryptoFailed` if signing failed.
    public static func mint(
        typ type: TokenType,
        claims: [String: JSONValue],
        with key: SigningKey
    ) throws(TokenError) -> Secret {
        try mint(type, payload: JSONValue.object(claims).bytes, with: key)
    }

    private static func mint(
        _ type: TokenType,
        payload: [UInt8],
        with key: SigningKey
    ) throws(TokenError) -> Secret {
        var token = key.header(type)
        Base64URL.append(payload, to: &token)
        let signature = try key.sign(token)
        token.append(UInt8(ascii: "."))
        Base64URL.append(signature, to: &token)
        guard token.count <= UnverifiedJWT.maxLength else {
            throw TokenError(.tooLarge, "the token would be longer than \(UnverifiedJWT.maxLength) bytes")
        }
        return Secret(bytes: token)
    }
}

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
