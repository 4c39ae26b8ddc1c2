public import Moments
public import OAuth
import Tokens

/// The tokens that a request at an outside authority is for.
public struct OutsideDemand: Hashable, Sendable {
    /// The scopes that the token must have.
    public let scopes: [String]
    /// Scopes to ask consent for, too.
    public let additionalScopes: [String]
    /// The API that the token is for.
    public let resource: ResourceIndicator?
    /// More parameters of the authorization request.
    public let parameters: [String: String]
    /// True if a refresh token is asked for, so that nobody has to sign in anew soon.
    public let isLasting: Bool

    /// Names the tokens that are asked for.
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

    /// The fields of the authorization request, beside the scopes.
    var fields: [(name: String, value: String)] {
        (resource?.fields ?? []) + parameters.sorted { $0.key < $1.key }.map { (name: $0.key, value: $0.value) }
    }

    /// The scopes of the authorization request: a refresh token is asked for where the authority knows the scope.
    func scopes(offeredBy metadata: ProviderMetadata) -> [String] {
        guard metadata.keys != nil else {
            // OAuth 2.0 alone knows neither scope of OpenID Connect.
            var seen: Set<String> = []
            return (scopes + (resource?.scopes ?? []) + additionalScopes).filter { seen.insert($0).inserted }
        }
        let offline = Scope.offlineAccess.name
        let keeps = isLasting && (metadata.scopes.isEmpty || metadata.scopes.contains(offline))
        var seen: Set<String> = []
        return ([Scope.openid.name] + scopes + (resource?.scopes ?? []) + additionalScopes + (keeps ? [offline] : []))
            .filter { seen.insert($0).inserted }
    }

    /// The scopes of a renewal: none of those that the person was only asked for, too, and may have declined (RFC 6749 §6).
    func renewedScopes(offeredBy metadata: ProviderMetadata) -> [String] {
        OutsideDemand(scopes: scopes, resource: resource).scopes(offeredBy: metadata)
    }

    /// The scopes of a request that no person takes part in: none about a person.
    var serviceScopes: [String] {
        var seen: Set<String> = []
        return (scopes + (resource?.scopes ?? [])).filter { seen.insert($0).inserted }
    }
}

/// The tokens that an outside authority has issued for a person, verified.
public struct OutsideTokens: Sendable {
    /// The access token.
    public let accessToken: Secret
    /// The refresh token; nil if none was given, or the old one stays.
    public let refreshToken: Secret?
    /// The ID token.
    public let idToken: Secret?
    /// The claims of the ID token; nil if a renewal gave none.
    public let claims: [String: JSONValue]?
    /// The scopes that the access token has.
    public let scopes: [String]
    /// The end of the access token's life.
    public let expires: Deadline
}

extension OutsideTokens {
    /// Tells if the access token may be for the API that was named (RFC 8707 §2.2, RFC 9068 §2.2).
    ///
    /// - Parameter resource: The API; nil if none was named.
    /// - Returns: False for a JWT whose `aud` has another API alone. What a token does not say cannot be compared.
    public func mayBe(for resource: ResourceIndicator?) -> Bool {
        guard let resource, let token = try? UnverifiedJWT(accessToken.reveal()),
            let audience = try? token.unverifiedClaims()["aud"]
        else { return true }
        return resource.mayBe(in: audience.string.map { [$0] } ?? audience.strings ?? [])
    }
}

extension Secret {
    /// The life of an access token: what its authority says beside it, or what the token itself says, if that ends earlier.
    ///
    /// - Parameters:
    ///   - life: The life that the authority says, in seconds.
    ///   - registration: The authority.
    ///   - now: The time.
    /// - Returns: The life in seconds. What a token does not say cannot be compared.
    /// - Throws: ``ProviderError`` for a JWT whose `exp` has passed (RFC 9068 §2.2).
    func accessTokenLife(
        _ life: Int64,
        of registration: ProviderRegistration,
        at now: Moment
    ) throws(ProviderError) -> Int64 {
        guard let token = try? UnverifiedJWT(reveal()), let ends = try? token.unverifiedClaims()["exp"]?.numericDate
        else { return life }
        guard ends > now.seconds else {
            throw ProviderError(.protocolViolation, "\(registration.name) answered with a token that has ended")
        }
        return min(life, ends - now.seconds)
    }
}
