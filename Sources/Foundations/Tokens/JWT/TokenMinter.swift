import Foundation
public import OAuth

/// Creates signed tokens as JWSs in compact serialization (RFC 7515 §7.1).
public enum TokenMinter {
    /// Mints a token with the claims, whose names must be unique, in the given order.
    ///
    /// - Throws: `tooLarge` for more than ``UnverifiedJWT/maxLength`` bytes, or `cryptoFailed` if signing failed.
    public static func mint(
        typ type: TokenType,
        claims: [(String, JSONValue)],
        with key: SigningKey
    ) throws(TokenError) -> Secret {
        assert(Set(claims.map(\.0)).count == claims.count, "duplicate claim name")
        var payload: [UInt8] = []
        payload.reserveCapacity(1024)
        JSONValue.append(members: claims, to: &payload)
        return try mint(type, payload: payload, with: key)
    }

    /// Mints a token with the claims sorted by name.
    ///
    /// - Throws: `tooLarge` for more than ``UnverifiedJWT/maxLength`` bytes, or `cryptoFailed` if signing failed.
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

/// The type of a token, whose raw value is the value of the header member `typ`.
///
/// A token of one type is never accepted in place of another type (RFC 8725 §3.11).
public enum TokenType: String, CaseIterable, Hashable, Sendable {
    /// An access token (RFC 9068 §2.1).
    case accessToken = "at+jwt"
    /// A logout token (OpenID Connect Back-Channel Logout §2.4).
    case logoutToken = "logout+jwt"
    /// A token that authenticates one request to a custom identity provider.
    case realmRequest = "realm-request+jwt"
    /// Any other token, such as an ID token.
    case jwt = "JWT"

    /// Returns whether `typ` matches this type (RFC 7515 §4.1.9, RFC 9068 §4).
    ///
    /// Case and the prefix `application/` are ignored. A missing `typ` matches only ``jwt``.
    func accepts(_ typ: String?) -> Bool {
        guard let typ else { return self == .jwt }
        let text = typ.lowercased()
        let name = rawValue.lowercased()
        return text == name || text == "application/" + name
    }
}
