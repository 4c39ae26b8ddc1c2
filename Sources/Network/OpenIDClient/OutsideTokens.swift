public import Moments
public import OAuth
import Tokens

/// The tokens to request from an external authority.
public struct OutsideDemand: Hashable, Sendable {
    /// The scopes that the token must have.
    public let scopes: [String]
    /// Additional scopes to request consent for.
    public let additionalScopes: [String]
    /// The API that the token is for, or `nil` to specify none.
    public let resource: ResourceIndicator?
    /// Additional parameters of the authorization request.
    public let parameters: [String: String]
    /// Whether to request a refresh token, so that the user does not have to sign in again soon.
    public let isLasting: Bool

    /// Creates a description of the tokens to request.
    public init(
        scopes: [String],
        additionalScopes: [String] = [],
        resource: ResourceIndicator? = nil,
        parameters: [String: String] = [:],
        isLasting: Bool = true
    ) {
        self.scopes = scopes
        self.additionalScopes = additionalScopes
        self.resource = resource
        self.parameters = parameters
        self.isLasting = isLasting
    }

    var fields: [(name: String, value: String)] {
        (resource?.fields ?? []) + parameters.sorted { $0.key < $1.key }.map { (name: $0.key, value: $0.value) }
    }

    func scopes(offeredBy metadata: ProviderMetadata) -> [String] {
        guard metadata.keys != nil else {
            // Plain OAuth 2.0 has neither `openid` nor `offline_access`.
            var seen: Set<String> = []
            return (scopes + (resource?.scopes ?? []) + additionalScopes).filter { seen.insert($0).inserted }
        }
        let offline = Scope.offlineAccess.name
        let keeps = isLasting && (metadata.scopes.isEmpty || metadata.scopes.contains(offline))
        var seen: Set<String> = []
        return ([Scope.openid.name] + scopes + (resource?.scopes ?? []) + additionalScopes + (keeps ? [offline] : []))
            .filter { seen.insert($0).inserted }
    }

    /// Returns the scopes for a renewal, without additional ones that the user might have declined (RFC 6749 §6).
    func renewedScopes(offeredBy metadata: ProviderMetadata) -> [String] {
        OutsideDemand(scopes: scopes, resource: resource).scopes(offeredBy: metadata)
    }

    /// The scopes for the client itself, without additional scopes, `openid` and `offline_access`.
    var serviceScopes: [String] {
        var seen: Set<String> = []
        return (scopes + (resource?.scopes ?? [])).filter { seen.insert($0).inserted }
    }
}

/// The verified tokens that an external authority issued.
public struct OutsideTokens: Sendable {
    /// The access token.
    public let accessToken: Secret
    /// The new refresh token, or `nil` if none was issued or the old refresh token remains valid.
    public let refreshToken: Secret?
    /// The ID token, or `nil` if none was issued.
    public let idToken: Secret?
    /// The claims about the user, or `nil` if the response does not identify the user.
    public let claims: [String: JSONValue]?
    /// The scopes of the access token.
    public let scopes: [String]
    /// When the access token expires.
    public let expires: Deadline
}

extension OutsideTokens {
    /// Returns `false` only for a JWT whose `aud` names only other APIs (RFC 8707 §2.2, RFC 9068 §2.2).
    public func mayBe(for resource: ResourceIndicator?) -> Bool {
        guard let resource, let token = try? UnverifiedJWT(accessToken.reveal()),
            let audience = try? token.unverifiedClaims()["aud"]
        else { return true }
        return resource.mayBe(in: audience.string.map { [$0] } ?? audience.strings ?? [])
    }
}

extension Secret {
    /// Returns an access token's lifetime in seconds, which is `life` unless the `exp` of a JWT is earlier.
    ///
    /// - Throws: ``ProviderError`` for a JWT whose `exp` has passed (RFC 9068 §2.2).
    func accessTokenLife(
        _ life: Int64,
        of registration: ProviderRegistration,
        at now: Moment
    ) throws(ProviderError) -> Int64 {
        guard let token = try? UnverifiedJWT(reveal()), let ends = try? token.unverifiedClaims()["exp"]?.numericDate
        else { return life }
        guard ends > now.seconds else {
            throw ProviderError(.protocolViolation, "\(registration.name) issued an expired token")
        }
        return min(life, ends - now.seconds)
    }
}
