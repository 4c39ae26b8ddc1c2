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
