import FlowModel
import Foundation
import Moments
public import OAuth

/// A response from the token endpoint (RFC 6749 §5.1), including the members that B2C adds.
public struct TokenResponse: Sendable {
    /// The response as a JSON object with tokens, to be sent only once and never stored or logged.
    public let json: JSONValue

    /// Creates the response with a user's tokens and the granted scopes as the client spelled them.
    init(_ issued: IssuedTokens, granted: [String], _ call: ProgramCall) {
        let now = call.now.seconds
        var members = Self.members(
            issued.accessToken,
            expires: issued.expires.wall / 1000,
            scopes: granted.isEmpty ? issued.scopes : granted,
            now: now
        )
        if granted.contains(Scope.offlineAccess.name), call.client.grants.contains(.refreshToken) {
            members["refresh_token"] = .string(issued.refreshToken.reveal())
            members["refresh_token_expires_in"] = .int(max(0, issued.refreshExpires.wall / 1000 - now))
        }
        if granted.contains(Scope.openid.name) {
            members["id_token"] = .string(issued.idToken.reveal())
            if let end = issued.claims["exp"]?.int { members["id_token_expires_in"] = .int(max(0, end - now)) }
            members["profile_info"] = Self.encoded([
                "ver": "1.0", "tid": .string(call.settings.tenant), "sub": .string(issued.user.id.oid),
                "name": .string(issued.user.displayName), "preferred_username": .string(issued.preferredUsername),
                "idp": .null,
            ])
        }
        // MSAL sends `client_info=1` to get an id that distinguishes the accounts that a user has in several policies.
        if call.request.form["client_info"] == "1" {
            members["client_info"] = Self.encoded([
                "uid": .string("\(issued.user.id.oid)-\(issued.policy)"), "utid": .string(call.settings.tenant),
            ])
        }
        json = .object(members)
    }

    init(accessToken: Secret, expires: Int64, scopes: [String], now: Int64) {
        json = .object(Self.members(accessToken, expires: expires, scopes: scopes, now: now))
    }

    private init(json: JSONValue) { self.json = json }

    func adding(_ name: String, _ value: JSONValue) -> TokenResponse {
        var members = json.object ?? [:]
        members[name] = value
        return TokenResponse(json: .object(members))
    }

    private static func members(
        _ accessToken: Secret,
        expires: Int64,
        scopes: [String],
        now: Int64
    ) -> [String: JSONValue] {
        var members: [String: JSONValue] = [
            "access_token": .string(accessToken.reveal()), "token_type": "Bearer",
            "expires_in": .int(max(0, expires - now)), "expires_on": .int(expires), "not_before": .int(now),
        ]
        if !scopes.isEmpty { members["scope"] = .string(scopes.joined(separator: " ")) }
        return members
    }

    private static func encoded(_ json: JSONValue) -> JSONValue { .string(Base64URL.encode(json.bytes)) }
}
