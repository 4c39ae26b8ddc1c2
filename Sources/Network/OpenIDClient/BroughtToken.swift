public import OAuth

/// A provider's token that a caller presents instead of signing in at the provider.
public enum BroughtToken: Hashable, Sendable {
    /// An ID token (OpenID Connect Core §2).
    case idToken(Secret)
    /// An access token. The token does not identify its client, so the provider must report which client the token was
    /// issued to.
    case accessToken(Secret)

    /// The names under which Azure App Service clients present an ID token.
    private static let idTokens = ["id_token", "authenticationToken"]

    /// Reads the token that a caller presents.
    ///
    /// - Parameter members: The tokens by name.
    /// - Throws: `invalid_request` unless there is exactly one token, under a known name.
    public init(_ members: [String: Secret]) throws(OAuthError) {
        guard let (name, token) = members.first, members.count == 1 else {
            throw OAuthError.invalidRequest(
                "The parameter providerToken must have exactly one token, either id_token or access_token."
            )
        }
        switch name {
        case _ where Self.idTokens.contains(name): self = .idToken(token)
        case "access_token": self = .accessToken(token)
        default: throw OAuthError.invalidRequest("The parameter providerToken accepts only id_token or access_token.")
        }
    }
}
