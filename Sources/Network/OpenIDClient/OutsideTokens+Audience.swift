import Moments
import OAuth
import Tokens

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
